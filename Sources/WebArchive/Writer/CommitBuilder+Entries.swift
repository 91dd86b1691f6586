// SPDX-License-Identifier: Apache-2.0

extension CommitBuilder {
    /// Adds an exchange. It takes missing times and a missing redirect target from the header fields.
    @discardableResult
    package func add(
        _ request: ArchiveRequest, requestBody: BodyReference? = nil, response: ArchiveResponse?,
        body: BodyReference? = nil, time: ArchiveTime? = nil, role: ArchiveEntry.Role = .exchange,
        originals: OriginalBodies = OriginalBodies(), failure: String? = nil
    ) throws(ArchiveError) -> EntryReference {
        let url = try CanonicalURL(parsing: request.url)
        var response = response
        if let given = response {
            response?.modified = given.modified ?? Self.date("Last-Modified", given)
            response?.redirectTarget =
                try given.redirectTarget.map { (text) throws(ArchiveError) in
                    try Self.absolute(text, from: url)
                } ?? given.redirectTarget(from: url)
        }
        return try addCopy(
            request, of: url, requestBody: requestBody, response: response, body: body,
            time: time ?? response.flatMap { Self.date("Date", $0) }, role: role, originals: originals, failure: failure
        )
    }

    /// Returns a target in the form that section 7 of the specification requires; an absolute one does not change.
    private static func absolute(_ target: String, from url: CanonicalURL) throws(ArchiveError) -> String {
        if (try? CanonicalURL(target)) != nil { return target }
        do {
            return try url.resolving(target).description
        } catch {
            throw ArchiveError(.invalidArgument, "the redirect target '\(target)' is not a URL", cause: error)
        }
    }

    private static func date(_ name: String, _ response: ArchiveResponse) -> ArchiveTime? {
        let field = response.headers.only(named: name)
        return field.flatMap { HTTPDate.nanoseconds($0.valueBytes) }.flatMap(ArchiveTime.init)
    }

    /// Adds an exchange of a different archive unchanged: an unknown time stays unknown, and a response stays one.
    ///
    /// - Parameter url: the URL of the request.
    func addCopy(
        _ request: ArchiveRequest, of url: CanonicalURL, requestBody: BodyReference?, response: ArchiveResponse?,
        body: BodyReference?, time: ArchiveTime?, role: ArchiveEntry.Role,
        originals: OriginalBodies = OriginalBodies(), failure: String? = nil
    ) throws(ArchiveError) -> EntryReference {
        try checkUnfinished()
        guard failure == nil || response == nil else {
            throw ArchiveError(.invalidArgument, "a failure and a response for \(url)")
        }
        var reference: UInt32 = 0
        if let response {
            guard (response.absentDigest != nil) == (role == .withoutBody), response.absentDigest == nil || body == nil
            else {
                throw ArchiveError(.invalidArgument, "the role and the absent body of \(url) do not agree")
            }
            reference = try add(response, to: url, body: body, time: time, original: originals.response)
        }
        let number = try draft.addEntry(
            key: url, url: isCanonical(request.url, url) ? 0 : draft.strings.intern(request.url),
            request: add(request, requestBody, original: originals.request), answer: reference,
            time: time?.nanoseconds ?? 0, role: role, failure: try draft.strings.intern(failure))
        return EntryReference(number: number)
    }

    private func isCanonical(_ text: String, _ url: CanonicalURL) -> Bool { text.utf8.elementsEqual(url.bytes) }

    /// Adds an entry for a second URL with the same response as `entry`.
    @discardableResult
    package func addAlias(
        _ url: CanonicalURL, of entry: EntryReference, role: ArchiveEntry.Role = .alias
    ) throws(ArchiveError) -> EntryReference {
        try checkUnfinished()
        if let earlier = entry.earlier { return try addAlias(url, ofEarlier: earlier, role: role) }
        let original = draft.entries[entry.number]
        let number = try draft.addEntry(
            key: url, url: 0, request: original.request, answer: original.answer,
            time: aliasTime(original.time, url), role: role)
        return EntryReference(number: number)
    }

    private func aliasTime(_ time: Int64, _ url: CanonicalURL) throws(ArchiveError) -> Int64 {
        try self.time(ArchiveTime(nanoseconds: time), notBeforeThatOf: url)?.nanoseconds ?? 0
    }

    private func addAlias(
        _ url: CanonicalURL, ofEarlier entry: ArchiveEntry, role: ArchiveEntry.Role
    ) throws(ArchiveError) -> EntryReference {
        var reference: UInt32 = 0
        if let (keys, row) = try entry.answerRow {
            let isRedirect = keys.status.owner == .redirect
            let first = entry.archive.index.commit(row).firstRow(isRedirect ? .redirect : .response)
            reference = 1 + 2 * (UInt32(first) + row.row) + (isRedirect ? 1 : 0)
        }
        let number = try draft.addEntry(
            key: url, url: 0, request: 0, answer: reference,
            time: aliasTime(entry.time?.nanoseconds ?? 0, url), role: role)
        // Its response is not a row of this commit.
        return EntryReference(number: number, earlier: entry)
    }

    /// Adds an entry for a second URL with the same response as `entry`, but with a different status. A redirect stays one.
    package func addAlias(
        _ url: CanonicalURL, of entry: EntryReference, status: Int
    ) throws(ArchiveError) -> EntryReference {
        try checkUnfinished()
        if let earlier = entry.earlier {
            guard var response = try earlier.response, !response.isRedirect else {
                return try addAlias(url, of: entry)
            }
            response.status = status
            return try addCopy(
                ArchiveRequest(url: url.description), of: url, requestBody: nil, response: response,
                body: reference(to: earlier.body),
                time: ArchiveTime(nanoseconds: aliasTime(earlier.time?.nanoseconds ?? 0, url)), role: .alias)
        }
        let original = draft.entries[entry.number]
        guard original.answer > 0, original.answer % 2 == 1 else { return try addAlias(url, of: entry) }
        var answer = draft.responses[(Int(original.answer) - 1) / 2 - Int(draft.firstRow(.response))]
        answer.status = UInt16(status)
        let number = try draft.addEntry(
            key: url, url: 0, request: original.request, answer: draft.addAnswer(answer, isRedirect: false),
            time: aliasTime(original.time, url), role: .alias)
        return EntryReference(number: number)
    }

    /// Sets a metadata value; nil removes one that an earlier commit set. Specification section 7, "Metadata".
    package func setMetadata(_ name: String, to value: String?) throws(ArchiveError) {
        try checkUnfinished()
        let row = IndexDraft.Metadata(
            name: try draft.strings.intern(name), value: try draft.strings.intern(value), body: 0)
        draft.metadata.append(row)
    }

    /// Sets a metadata value that is a body, such as an icon.
    package func setMetadata(_ name: String, to body: BodyReference) throws(ArchiveError) {
        try checkUnfinished()
        draft.metadata.append(
            IndexDraft.Metadata(name: try draft.strings.intern(name), value: 0, body: body.number))
    }

    /// Copies a metadata value of a different archive, byte by byte.
    func setMetadata(_ row: MetadataRow, to body: BodyReference?) throws(ArchiveError) {
        try checkUnfinished()
        draft.metadata.append(
            IndexDraft.Metadata(
                name: try draft.strings.intern(row.nameBytes), value: try draft.strings.intern(row.text),
                body: body?.number ?? 0))
    }

    private func add(
        _ request: ArchiveRequest, _ body: BodyReference?, original: OriginalBodies.Message
    ) throws(ArchiveError) -> UInt32 {
        if request.method == "GET", request.headers.isEmpty, request.version == nil, body == nil, original.isEmpty {
            return 0
        }
        guard !request.method.isEmpty else {
            throw ArchiveError(.invalidArgument, "empty method for \(request.url)")
        }
        let (list, fill) = try add(request.headers) { _ in nil }
        return draft.addRequest(
            IndexDraft.Request(
                method: request.method == "GET" ? 0 : try draft.strings.intern(request.method), headers: list,
                fill: fill, body: body?.number ?? 0, bodyDigest: body?.digest,
                version: try draft.strings.intern(request.version), original: original.numbers))
    }

    private func add(
        _ response: ArchiveResponse, to url: CanonicalURL, body: BodyReference?, time: ArchiveTime?,
        original: OriginalBodies.Message
    ) throws(ArchiveError) -> UInt32 {
        guard (100...999).contains(response.status) else {
            throw ArchiveError(.invalidArgument, "cannot store status \(response.status) for \(url)")
        }
        let (target, modified) = (response.redirectTarget, response.modified?.nanoseconds)
        let derived = DerivedFields(
            bodyLength: body?.length ?? 0, digest: body?.digest ?? .ofNothing, modified: modified,
            time: time?.nanoseconds)
        let (list, fill) = try add(response.headers, form: derived.form)
        let row = IndexDraft.Answer(
            modified: modified ?? 0, status: UInt16(response.status),
            reason: try draft.strings.intern(response.reasonBytes.isEmpty ? nil : response.reasonBytes), headers: list,
            fill: fill,
            mediaType: try draft.strings.intern(response.mediaType),
            charset: try draft.strings.intern(response.charset),
            body: body?.number ?? 0, address: try draft.strings.intern(response.address),
            codings: try draft.strings.intern(
                response.codings.isEmpty ? nil : response.codings.joined(separator: ", ")),
            target: try draft.strings.intern(target), version: try draft.strings.intern(response.version),
            truncated: try draft.strings.intern(response.truncation),
            absent: try draft.strings.intern(response.absentDigest), isDerived: response.isDerived,
            original: original.numbers)
        return try draft.addAnswer(row, isRedirect: target != nil)
    }

    /// Adds a header list; returns the list and the first of its fill strings.
    func add(
        _ headers: HeaderFields, form: (HeaderField) -> FieldValueEncoding?
    ) throws(ArchiveError) -> (list: UInt32, fill: UInt32) {
        var fields: [HeaderListPool.Field] = []
        var firstFill: UInt32 = 0
        let length = headers.reduce(0) { $0 + $1.nameBytes.count + $1.valueBytes.count }
        guard length <= FormatLimits.maximumFieldListLength else {
            throw ArchiveError(.limitExceeded, "\(length) bytes of header fields; the limit is 16 MiB")
        }
        for field in headers {
            let name = try draft.strings.intern(field.nameBytes)
            var (kind, value) = (form(field) ?? .literal, UInt32(0))
            if kind == .literal {
                if let known = draft.strings.number(of: field.valueBytes) {
                    value = known
                } else if draft.fieldValues.isOwn(valueOf: name) {
                    kind = .fill
                } else {
                    value = try draft.strings.intern(field.valueBytes)
                }
            }
            if kind == .fill {
                let number = try draft.strings.addFill(field.valueBytes)
                if firstFill == 0 { firstFill = number }
            }
            fields.append(HeaderListPool.Field(name: name, form: UInt8(kind.rawValue), value: value))
        }
        return (try draft.lists.add(fields), firstFill)
    }
}

/// The field values that are derived from other parts of an exchange. Specification section 7, "HeaderField".
private struct DerivedFields {
    /// The length of the body, in bytes; 0 without one. Form 2.
    let bodyLength: UInt64
    /// The digest of the body; that of no bytes without one. Form 5.
    let digest: ContentDigest
    /// The time of the last modification, in nanoseconds since 1970; nil if it is unknown. Form 3.
    let modified: Int64?
    /// The time of the entry, in nanoseconds since 1970; nil if it is unknown. Form 4.
    let time: Int64?

    /// Returns the form of a field whose value is derived, byte by byte; nil for all others.
    func form(_ field: HeaderField) -> FieldValueEncoding? {
        let value = field.valueBytes
        // By lengths first: there are many fields, and few of these.
        switch field.nameBytes.count {
        case 4 where value.count == 29 && field.isNamed("Date"):
            return time.map(HTTPDate.bytes) == value ? .date : nil
        case 4 where value.count == 34 && field.isNamed("ETag"):
            return value.elementsEqual("\"\(digest)\"".utf8) ? .digestTag : nil
        case 13 where value.count == 29 && field.isNamed("Last-Modified"):
            return modified.map(HTTPDate.bytes) == value ? .lastModified : nil
        case 14 where field.isNamed("Content-Length"):
            return value.elementsEqual(String(bodyLength).utf8) ? .contentLength : nil
        default: return nil
        }
    }
}

/// A table that separates field values that many records share from those of single records, such as entity tags.
struct FieldValues {
    private var distinctValues: [UInt32: Int] = [:]
    /// The number of values of a field beyond which every record is assumed to have a new one.
    private static let limit = 64

    /// Returns whether a value that is not stored yet belongs to one record. It depends only on the records so far, in their order.
    mutating func isOwn(valueOf name: UInt32) -> Bool {
        let count = distinctValues[name, default: 0]
        if count >= Self.limit { return true }
        distinctValues[name] = count + 1
        return false
    }
}
