// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

extension ArchiveHeader {
    /// Reads the header of an archive, and identifies a file of a different format.
    ///
    /// Throws `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`, `damaged` or `io`.
    init(of source: any ByteSource) throws(ArchiveError) { self = try Self.read(source).header }

    /// Reads the header as ``init(of:)`` does, with the 32 bytes before the recovery slots.
    static func read(_ source: any ByteSource) throws(ArchiveError) -> (header: ArchiveHeader, bytes: [UInt8]) {
        do throws(ArchiveError) {
            let count = min(source.length, UInt64(FormatLimits.headerLength))
            let bytes = try source.bytes(at: 0, count: Int(count))
            return (try ArchiveHeader(decoding: bytes), Array(bytes.prefix(32)))
        } catch {
            guard error.code == .notAnArchive, let format = try ForeignFormat(of: source) else { throw error }
            throw ArchiveError(
                .notAnArchive, "\(format.name), not a webarc archive", recovery: format.recovery)
        }
    }
}

extension ForeignFormat {
    /// Recognises a file. Throws `io`.
    package init?(of source: any ByteSource) throws(ArchiveError) {
        let count = min(source.length, UInt64(Self.startLength))
        self.init(start: try source.bytes(at: 0, count: Int(count)))
    }

    fileprivate var recovery: ArchiveError.Recovery {
        switch content {
        case .files: .unpackFirst
        case .pages: .savePagesFirst
        case .document: .packFirst
        case .exchanges: .importFirst
        }
    }
}
