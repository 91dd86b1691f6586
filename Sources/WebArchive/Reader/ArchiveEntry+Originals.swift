// SPDX-License-Identifier: Apache-2.0

/// The properties of an exchange that other containers hold, such as WARC files. Specification section 7, keys of version 1.1.
extension ArchiveEntry {
    /// The reason why the request got no response; nil if it got one, or the reason is unknown.
    public var failure: String? {
        get throws(ArchiveError) { try archive.index.text(.entryFailure, place) }
    }

    /// The request line, header fields and empty line as they were sent; nil if they are the serialised head (section 7.1).
    public var requestHead: ArchiveBody? {
        get throws(ArchiveError) { try requestPart(.requestHead) }
    }

    /// The content of the request as it was sent, with all its codings; nil if it is ``requestBody``.
    public var requestWire: ArchiveBody? {
        get throws(ArchiveError) { try requestPart(.requestWire) }
    }

    /// The status line, header fields and empty line as they were received; nil if they are the serialised head (section 7.1).
    public var responseHead: ArchiveBody? {
        get throws(ArchiveError) { try responsePart(\.head) }
    }

    /// The content of the response as it was received, with all its codings; nil if it is ``body``.
    public var responseWire: ArchiveBody? {
        get throws(ArchiveError) { try responsePart(\.wire) }
    }

    private func requestPart(_ key: IndexKey) throws(ArchiveError) -> ArchiveBody? {
        guard let request = try archive.index.row(.entryRequest, place) else { return nil }
        return try archive.index.row(key, request).mapTyped(archive.body)
    }

    private func responsePart(_ key: KeyPath<AnswerKeys, IndexKey>) throws(ArchiveError) -> ArchiveBody? {
        guard let (keys, row) = try answerRow else { return nil }
        return try archive.index.row(keys[keyPath: key], row).mapTyped(archive.body)
    }
}
