// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// An exporter that writes an archive as a HAR file (HTTP Archive 1.2), which the developer tools of browsers open.
///
/// The same archive gives the same bytes. Entries are in the order of their URLs. Content is written without codings: as text, if it is UTF-8 and
/// its fields do not say otherwise, else as Base64. Times that a HAR file has and an archive has not are 0, or -1 for "unknown".
///
/// ```swift
/// let file = try FileDescriptor.open("site.har", .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
/// try HARExporter(archive).write { bytes in try file.writeAll(bytes) }
/// ```
public struct HARExporter {
    /// The archive.
    public let archive: ArchiveReader
    /// The version of the program that the file names as its creator.
    public var creatorVersion = "1"
    /// The number of bytes of bodies that may be written again.
    var repeatAllowance = RepeatedBodies.allowance

    /// Creates an exporter. It reads nothing yet.
    public init(_ archive: ArchiveReader) { self.archive = archive }

    /// Writes the file.
    ///
    /// - Parameter sink: a function that takes the bytes in their order.
    /// - Returns: the number of entries.
    /// - Throws: `damaged`, `io`; `limitExceeded` if few bodies fill the file many times; errors of `sink`.
    @discardableResult
    public func write(
        _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Int {
        let json = JSONOutput(sink)
        var log = HARLog(
            archive.limitedToOneConversion(), json, RepeatedBodies(of: archive, allowance: repeatAllowance))
        try log.write(creatorVersion: creatorVersion)
        try json.finish()
        return log.entryCount
    }
}
