// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

extension CommitBuilder {
    /// The common properties of the responses for many files: everything but body and time.
    package struct FileTemplate: Sendable {
        /// The number of the header list.
        let headers: UInt32
        /// The number of the media type's string.
        let mediaType: UInt32
        /// The number of the charset's string; 0 for none.
        let charset: UInt32
    }

    /// Creates a template of the fields that web servers send for a file: type, length, entity tag and, if it is known, the time of
    /// modification.
    package func fileTemplate(
        mediaType: String, charset: String?, hasModified: Bool
    ) throws(ArchiveError) -> FileTemplate {
        let type = charset.map { "\(mediaType); charset=\($0)" } ?? mediaType
        var fields: [(name: String, form: FieldValueEncoding, value: String?)] = [
            ("Content-Type", .literal, type), ("Content-Length", .contentLength, nil), ("ETag", .digestTag, nil),
        ]
        if hasModified { fields.append(("Last-Modified", .lastModified, nil)) }
        var list: [HeaderListPool.Field] = []
        for field in fields {
            list.append(
                HeaderListPool.Field(
                    name: try draft.strings.intern(field.name), form: UInt8(field.form.rawValue),
                    value: try draft.strings.intern(field.value)))
        }
        return FileTemplate(
            headers: try draft.lists.add(list), mediaType: try draft.strings.intern(mediaType),
            charset: try draft.strings.intern(charset))
    }

    /// Returns the entry of this commit that was last remembered under a URL.
    package func rememberedEntry(_ url: CanonicalURL) -> EntryReference? {
        draft.entry(url).map { EntryReference(number: $0) }
    }

    /// Makes an entry of this commit the one that ``rememberedEntry(_:)`` returns for its URL.
    package func remember(_ entry: EntryReference) {
        if entry.earlier == nil { draft.makeFindable(entry.number) }
    }

    /// Adds the entry of a file at a URL. The result equals ``add(_:requestBody:response:body:time:role:)`` with the fields of
    /// the template, in a fraction of the time.
    package func addFile(
        _ url: CanonicalURL, _ template: FileTemplate, body: BodyReference, modified: ArchiveTime?, time: ArchiveTime?
    ) throws(ArchiveError) -> EntryReference {
        try checkUnfinished()
        let row = IndexDraft.Answer(
            modified: modified?.nanoseconds ?? 0, status: 200, reason: 0, headers: template.headers, fill: 0,
            mediaType: template.mediaType, charset: template.charset, body: body.number, address: 0, codings: 0,
            target: 0)
        let number = try draft.addEntry(
            key: url, url: 0, request: 0, answer: draft.addAnswer(row, isRedirect: false),
            time: time?.nanoseconds ?? 0, role: .exchange)
        return EntryReference(number: number)
    }
}
