// SPDX-License-Identifier: Apache-2.0

/// An exchange in an archive: a handle, whose parts are read and checked on access.
///
/// An entry is a few words, keeps its archive open, and may be used by any thread. It caches nothing: a
/// property that is read twice is decoded twice. In texts, U+FFFD replaces bytes that are not UTF-8.
/// Specification section 7, "Entry".
///
/// Every property throws `damaged` or `io`. The entries that ``ArchiveCompactor/run(keeping:progress:)`` returns
/// share a limit on the data decoded in one pass, and throw `limitExceeded` beyond it (section 10).
public struct ArchiveEntry: Sendable {
    /// The row of the entry.
    let place: RowPlace
    /// The archive of the entry, with its budget, if it has one.
    package let archive: ArchiveReader

    init(_ place: RowPlace, of archive: ArchiveReader) {
        self.place = place
        self.archive = archive
    }

    private var index: ArchiveIndex { archive.index }

    /// The identity of an entry, valid as long as its archive is open.
    package struct Identity: Hashable, Sendable {
        fileprivate let archive: ObjectIdentifier
        fileprivate let place: RowPlace
    }

    /// The entry's own identity, independent of its key and of a budget.
    package var identity: Identity { Identity(archive: ObjectIdentifier(archive.blocks), place: place) }

    /// The purpose of an entry, by its number in the format (specification section 7, "Entry").
    public enum Role: Int64, Sendable {
        /// A request with its response.
        case exchange = 0
        /// An entry that a packer derived from another one or from a rule: `/dir/` for `/dir/index.html`, say.
        ///
        /// It is served, but it is not a file of its own when the archive is unpacked.
        case alias = 1
        /// An entry that is kept for unpacking only, such as `_headers`, and never served.
        case unpackOnly = 2
        /// A response whose body the archive lacks (``ArchiveResponse/absentDigest``). It is never served, and no file when the
        /// archive is unpacked.
        case withoutBody = 3

        /// Whether such an entry is a response to requests (specification section 8.5).
        package var isServed: Bool { self == .exchange || self == .alias }
    }

    /// The role of the entry. An unknown number counts as ``Role/unpackOnly``.
    ///
    /// Reads one number.
    public var role: Role {
        get throws(ArchiveError) {
            Role(rawValue: try index.commit(place).integer(.entryRole, Int(place.row))) ?? .unpackOnly
        }
    }

    /// The canonical URL, by which the entry is sorted and found (specification section 8.1).
    ///
    /// At most 65,535 bytes. Costs the decoding of up to 16 keys of a key block (section 8.3).
    public var key: String {
        get throws(ArchiveError) { String(untrusted: try keyBytes) }
    }

    /// The parsed canonical URL.
    ///
    /// As ``key``, and the check that it is one.
    ///
    /// - Throws: `damaged` if the key is not a URL.
    public var canonicalURL: CanonicalURL {
        get throws(ArchiveError) {
            let key = try keyBytes
            guard let url = try? CanonicalURL(utf8: key) else {
                throw index.commit(place).damaged(
                    "the key is not a canonical URL", .keyBlockKeys, Int(place.row) / FormatLimits.keysPerBlock)
            }
            return url
        }
    }

    /// The canonical form of ``redirectTarget``, without its fragment (specification section 8.1); nil if the response
    /// is not a redirect.
    ///
    /// - Throws: `damaged` if it is not an absolute URL.
    public var redirectURL: CanonicalURL? {
        get throws(ArchiveError) {
            guard let target = try redirectTarget else { return nil }
            // Percent-encoding takes several times as long as reading.
            try index.budget?.take(8 * target.utf8.count)
            guard let url = try? CanonicalURL(target) else {
                let row = try answerRow?.row ?? place
                throw index.commit(row).damaged(
                    "the redirect target is not an absolute URL", .redirectTarget, Int(row.row))
            }
            return url
        }
    }

    /// The bytes of the canonical URL, ASCII in an intact archive. As ``key``, without a text.
    public var keyBytes: [UInt8] {
        get throws(ArchiveError) { try index.key(place) }
    }

    /// The time of the response, in nanoseconds since 1970; nil if it is unknown.
    ///
    /// Among the captures of a request the one with the largest time is the newest (specification section 8.5).
    public var time: ArchiveTime? {
        get throws(ArchiveError) {
            ArchiveTime(nanoseconds: try index.commit(place).integer(.entryTime, Int(place.row)))
        }
    }

    /// The method of the request, case-sensitive: `GET` unless a different one is stored.
    public var method: String {
        get throws(ArchiveError) {
            guard let request = try index.row(.entryRequest, place) else { return "GET" }
            return try method(of: request)
        }
    }

    private func method(of request: RowPlace) throws(ArchiveError) -> String {
        guard let method = try index.text(.requestMethod, request) else { return "GET" }
        guard !method.isEmpty else {
            throw index.commit(request).damaged("empty method", .requestMethod, Int(request.row))
        }
        return method
    }

    /// The URL as the client gave it, without reading the rest of the request.
    ///
    /// It is ``key`` where the client's spelling was the canonical one.
    public var url: String {
        get throws(ArchiveError) {
            let given = try index.text(.entryURL, place)
            return if let given { given } else { try key }
        }
    }

    /// The request, with its header fields and without its body.
    ///
    /// Costs the decoding of its header list: at most 4,096 fields and 16 MiB (specification section 10).
    public var request: ArchiveRequest {
        get throws(ArchiveError) {
            let url = try url
            guard let row = try index.row(.entryRequest, place) else { return ArchiveRequest(url: url) }
            let headers = try HeaderDecoder(index: index, entry: place).requestFields(row)
            var request = try ArchiveRequest(method: method(of: row), url: url, headers: headers)
            request.version = try index.text(.requestVersion, row)
            return request
        }
    }

    /// The body of the request; nil if it has none. Its bytes are not read.
    public var requestBody: ArchiveBody? {
        get throws(ArchiveError) {
            guard let request = try index.row(.entryRequest, place) else { return nil }
            return try index.row(.requestBody, request).mapTyped(archive.body)
        }
    }

    /// The response or redirect with its header fields, without its body; nil without a response.
    ///
    /// It costs the decoding of its header list: at most 4,096 fields and 16 MiB (specification section 10). Media type
    /// and charset are the stored ones, independent of the fields. ``ArchiveResponse/redirectTarget``
    /// is set exactly for a redirect. See ``kind``, ``modified`` and ``redirectTarget`` for single parts.
    ///
    /// - Throws: `damaged` for a status outside 100 to 999 too.
    public var response: ArchiveResponse? {
        get throws(ArchiveError) {
            guard let (keys, row) = try answerRow else { return nil }
            guard try index.row(.entryFailure, place) == nil else {
                throw index.commit(place).damaged("both a response and a failure", .entryFailure, Int(place.row))
            }
            let commit = index.commit(row)
            let status = try commit.count(keys.status, Int(row.row), atMost: 999)
            guard status >= 100 else { throw commit.damaged("invalid status \(status)", keys.status, Int(row.row)) }
            let modified = try commit.integer(keys.modified, Int(row.row))
            let codings = try index.text(keys.codings, row)?.split(separator: ",").map {
                String($0.trimmingOptionalWhitespace)
            }
            let isRedirect = keys.status.owner == .redirect
            var response = try ArchiveResponse(
                status: status, modified: ArchiveTime(nanoseconds: modified), address: index.text(keys.address, row),
                codings: codings ?? [],
                redirectTarget: isRedirect ? target(row) : nil)
            response.reasonBytes = try index.textBytes(keys.reason, row).map { Array($0) } ?? []
            // Media type and charset are the stored ones, independent of the fields.
            response.headers = try HeaderDecoder(index: index, entry: place).answerFields(row, keys)
            (response.mediaType, response.charset) = try (
                index.text(keys.mediaType, row), index.text(keys.charset, row)
            )
            response.version = try index.text(keys.version, row)
            response.truncation = try index.text(keys.truncated, row)
            response.absentDigest = try absentDigest(keys, row)
            response.isDerived = try commit.integer(keys.derived, Int(row.row)) != 0
            return response
        }
    }

    /// Reads the digest of a body that the archive lacks.
    ///
    /// - Throws: `damaged` if the response has a body, or the entry would be served without one.
    private func absentDigest(_ keys: AnswerKeys, _ row: RowPlace) throws(ArchiveError) -> String? {
        guard let digest = try index.text(keys.absent, row) else { return nil }
        guard try index.row(keys.body, row) == nil, try role == .withoutBody else {
            throw index.commit(row).damaged(
                "the body is absent, but the entry has or serves one", keys.absent, Int(row.row))
        }
        return digest
    }

    /// The time at which the resource was last modified, without reading the rest of the response.
    ///
    /// In nanoseconds since 1970; nil if it is unknown, or there is no response. It is that of the format's `modified`,
    /// which a writer takes from `Last-Modified`.
    public var modified: ArchiveTime? {
        get throws(ArchiveError) {
            guard let (keys, row) = try answerRow else { return nil }
            return ArchiveTime(nanoseconds: try index.commit(row).integer(keys.modified, Int(row.row)))
        }
    }

    /// The kind of the response, without reading the response; nil without one.
    ///
    /// The class of the row decides, not the status (specification section 7, "Redirect").
    public var kind: Kind? {
        get throws(ArchiveError) { try answerRow.map { $0.keys.status.owner == .redirect ? .redirect : .response } }
    }

    /// The stored target of a redirect, without reading the rest of the response; nil if this is none.
    ///
    /// An absolute URL in an archive that is whole, resolved already against the request's URL; see ``redirectURL``.
    public var redirectTarget: String? {
        get throws(ArchiveError) {
            guard let (keys, row) = try answerRow, keys.status.owner == .redirect else { return nil }
            return try target(row)
        }
    }

    private func target(_ row: RowPlace) throws(ArchiveError) -> String {
        guard let target = try index.text(.redirectTarget, row) else {
            throw index.commit(row).damaged("missing redirect target", .redirectTarget, Int(row.row))
        }
        return target
    }

    /// The two kinds of response, which are separate classes in the format (specification section 7).
    public enum Kind: String, Sendable {
        /// A response with content, or one that redirects to a different URL.
        case response, redirect
    }

    /// The body of the response; nil if it has none. Its bytes are not read.
    ///
    /// A body of no bytes is not nil.
    public var body: ArchiveBody? {
        get throws(ArchiveError) {
            guard let (keys, row) = try answerRow else { return nil }
            return try index.row(keys.body, row).mapTyped(archive.body)
        }
    }

    /// Returns whether two entries share one response, like an alias and its original.
    ///
    /// Rows are compared, not contents: equal responses may be stored twice. Costs reading two numbers.
    ///
    /// - Parameter other: an entry of the same archive.
    /// - Returns: whether they share it; false if one of them has no response.
    /// - Throws: `damaged` or `io`.
    public func sharesResponse(with other: ArchiveEntry) throws(ArchiveError) -> Bool {
        guard let mine = try answerRow, let theirs = try other.answerRow else { return false }
        return mine.row == theirs.row && mine.keys.status == theirs.keys.status
    }

    /// The row of the response, and the keys of its class; nil without a response.
    var answerRow: (keys: AnswerKeys, row: RowPlace)? {
        get throws(ArchiveError) {
            guard let (owner, row) = try index.reference(.entryAnswer, place) else { return nil }
            return (owner == .redirect ? .redirect : .response, row)
        }
    }

    /// Returns whether the entry is for a request with this method and this body, by the digest of the body.
    ///
    /// Bytes are compared, no text is made.
    ///
    /// - Parameter bodyDigest: the digest of the body; nil for a request without one.
    package func isFor(method: String, bodyDigest: ContentDigest?) throws(ArchiveError) -> Bool {
        guard let request = try index.row(.entryRequest, place) else { return method == "GET" && bodyDigest == nil }
        // Bytes, not texts: a method of a mebibyte that all entries share would be copied for each of them.
        guard try hasMethod(method, request) else { return false }
        guard let body = try index.row(.requestBody, request) else { return bodyDigest == nil }
        return try index.commit(body).digest(Int(body.row)) == bodyDigest
    }

    /// Compares the place of the entry with that of those for a method and a request body, in the order of a key's
    /// entries: negative if it comes before them, 0 if it is one of them. Specification section 8.2.
    ///
    /// - Throws: `damaged` or `io`; `limitExceeded` beyond the archive's budget.
    func compareRequest(_ method: String, _ bodyDigest: ContentDigest?) throws(ArchiveError) -> Int {
        let request = try index.row(.entryRequest, place)
        let order = try compareMethod(method, request)
        guard order == 0 else { return order }
        let body = try request.mapTyped { (row) throws(ArchiveError) in try index.row(.requestBody, row) } ?? nil
        guard let body else { return bodyDigest == nil ? 0 : -1 }
        guard let bodyDigest else { return 1 }
        let digest = try index.commit(body).digest(Int(body.row))
        return digest == bodyDigest ? 0 : digest < bodyDigest ? -1 : 1
    }

    private func compareMethod(_ method: String, _ request: RowPlace?) throws(ArchiveError) -> Int {
        var (own, method) = ("GET", method)
        let stored = try request.mapTyped { (row) throws(ArchiveError) in try index.string(.requestMethod, row) } ?? nil
        try index.budget?.take(stored?.count ?? 0)
        return method.withUTF8 { method in
            let method = UnsafeRawBufferPointer(method)
            return stored?.compareBytes(method) ?? own.withUTF8 { UnsafeRawBufferPointer($0).compareBytes(method) }
        }
    }

    /// Returns whether the request has a method, compared by its bytes.
    package func hasMethod(_ method: String) throws(ArchiveError) -> Bool {
        guard let request = try index.row(.entryRequest, place) else { return method == "GET" }
        return try hasMethod(method, request)
    }

    private func hasMethod(_ method: String, _ request: RowPlace) throws(ArchiveError) -> Bool {
        guard let stored = try index.string(.requestMethod, request) else { return method == "GET" }
        var method = method
        guard stored.count == method.utf8.count else { return false }
        try index.budget?.take(stored.count)
        return method.withUTF8 { stored.isEqual(to: UnsafeRawBufferPointer($0)) }
    }
}
