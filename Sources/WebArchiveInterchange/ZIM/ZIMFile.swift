// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive

/// A ZIM file (openZIM): entries with paths in namespaces, whose contents are blobs in clusters.
///
/// libzim reads such files as well. It is a C++ library with ICU and Xapian, which only searching needs.
struct ZIMFile {
    let source: any ByteSource
    let header: ZIMHeader
    let types: ZIMTypes

    /// Reads the header and the list of media types.
    ///
    /// - Throws: `unsupportedVersion`, `truncated` and `damaged`, each with the path; `io`.
    init(_ source: any ByteSource) throws(ArchiveError) {
        self.source = source
        do throws(ArchiveError) {
            header = try ZIMHeader(source)
            types = try ZIMTypes(source, header)
        } catch {
            throw error.at(path: source.name)
        }
    }

    /// Compares the MD5 of the file with the one at its end.
    ///
    /// - Parameter read: a function that is called with the numbers of bytes that are read.
    /// - Returns: the damage; nil if there is none, or the file has no MD5.
    /// - Throws: `io`.
    func damage(read: (Int) -> Void) throws(ArchiveError) -> ArchiveError? {
        guard let end = header.checksumOffset else { return nil }
        guard end.addingSaturated(ZIMHeader.checksumLength) <= source.length else {
            return ArchiveError(.damaged, "the MD5 lies outside the ZIM file", path: source.name, offset: 72)
        }
        var hash = Insecure.MD5()
        let input = RangeInput(source, 0..<end)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while input.fileOffset < end {
            let count = try buffer.withMutableBytes { (buffer) throws(ArchiveError) in try input.read(into: buffer) }
            buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            read(count)
        }
        let expected = try source.bytes(at: end, count: Int(ZIMHeader.checksumLength))
        guard hash.finalize().elementsEqual(expected) else {
            return ArchiveError(.damaged, "the MD5 of the ZIM file does not match", path: source.name, offset: end)
        }
        return nil
    }

    /// Opens a cluster.
    ///
    /// - Returns: the cluster, and its offset.
    /// - Throws: as ``ZIMCluster``; `damaged` if there is none with this number.
    func cluster(
        _ number: UInt32, _ decoders: ZIMDecoders, charge: @escaping (Int) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> (ZIMCluster, offset: UInt64) {
        guard number < header.clusterCount else {
            throw .damaged("a reference to cluster \(number) of \(header.clusterCount)")
        }
        let start = try clusterOffset(number)
        // The next part of the file ends the cluster.
        var ends = [source.length, header.entryListOffset, header.clusterListOffset, header.checksumOffset ?? .max]
        if number + 1 < header.clusterCount { ends.append(try clusterOffset(number + 1)) }
        guard start < source.length, let end = ends.filter({ $0 > start }).min() else {
            throw .damaged("a cluster lies outside the ZIM file", offset: start)
        }
        return (try ZIMCluster(source, start..<end, decoders, charge: charge), start)
    }

    private func clusterOffset(_ number: UInt32) throws(ArchiveError) -> UInt64 {
        let place = header.clusterListOffset + UInt64(number) * 8
        var cursor = ByteCursor(try source.bytes(at: place, count: 8), at: place)
        return try cursor.integer()
    }
}
