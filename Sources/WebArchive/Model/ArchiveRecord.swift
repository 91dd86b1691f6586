// SPDX-License-Identifier: Apache-2.0

/// A record of a WARC file (ISO 28500), without its block. Specification section 7, "Record".
public struct ArchiveRecord: Hashable, Sendable {
    /// The part of an exchange that is the block of a record.
    public enum Part: Int, Sendable {
        /// The response, with its head; the request, with its head; the body of the response alone.
        case response, request, body
        /// The record has no block in an exchange, or one that this version does not know.
        case unknown
    }

    /// The version, such as `WARC/1.0`.
    public var version: String
    /// The named fields, in their order, with their case and their duplicates.
    public var headers: HeaderFields
    /// The part of the exchange that the block is; of no meaning without an exchange.
    public var part: Part
    /// The bytes between the block and the next record: CR LF CR LF in a correct file.
    public var end: [UInt8]

    package static let defaultVersion = "WARC/1.1"
    package static let defaultEnd: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

    /// Creates a record. It checks nothing.
    ///
    /// - Parameters:
    ///   - version: the version; `WARC/1.1` by default.
    ///   - headers: the named fields.
    ///   - part: the part; ``Part/response`` by default.
    ///   - end: nil, the default, for CR LF CR LF.
    public init(
        version: String = "WARC/1.1", headers: HeaderFields = [], part: Part = .response, end: [UInt8]? = nil
    ) {
        (self.version, self.headers, self.part) = (version, headers, part)
        self.end = end ?? Self.defaultEnd
    }
}
