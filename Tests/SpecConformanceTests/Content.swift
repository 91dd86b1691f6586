// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// All that an archive holds, as the library reads it.
struct Content: Equatable {
    /// Everything about an entry but the bytes of its bodies.
    struct Entry: Equatable {
        var key, url, method: String
        var isServed = true
        var time: Int64 = 0
        var kind: String?
        var status = 0
        var reason = ""
        var headers: [[String]] = []
        var mediaType, charset, target: String?
        var modified: Int64 = 0
        var codings: [String] = []
        var address: String?
        var body: Body?
        var requestHeaders: [[String]] = []
        var requestBody: Body?
        /// The keys of version 1.1 that are not null.
        var later: [String: String] = [:]
        var originals: [String: Body] = [:]
    }

    struct Body: Equatable {
        var digest: String
        var length: UInt64
    }

    var commits = 0
    var entries: [Entry] = []
    /// The bodies of the responses and of the requests, in the order of ``entries``.
    var bodies: [[UInt8]?] = []
    var requestBodies: [[UInt8]?] = []

    /// Reads everything. `stage` states the last stage that was reached.
    init(
        lookingUp: Bool = true, stage: inout Stage, reading open: () throws(ArchiveError) -> ArchiveReader
    ) throws(ArchiveError) {
        stage = .open
        let archive = try open()
        stage = .list
        commits = archive.commitCount
        let found = try archive.entries()
        for entry in found { entries.append(try Entry(entry)) }
        _ = try archive.metadata()
        if lookingUp { for entry in found { try Self.lookUp(entry, in: archive) } }
        stage = .body
        for entry in found {
            bodies.append(try entry.body.mapTyped { body throws(ArchiveError) in try body.bytes() })
            requestBodies.append(try entry.requestBody.mapTyped { body throws(ArchiveError) in try body.bytes() })
        }
        _ = try archive.metadataBody("icon").mapTyped { body throws(ArchiveError) in try body.bytes() }
        stage = .verify
    }

    /// Reads everything without looking up what it has listed.
    init(reading open: () throws(ArchiveError) -> ArchiveReader) throws(ArchiveError) {
        var stage = Stage.open
        try self.init(lookingUp: false, stage: &stage, reading: open)
    }

    private static func lookUp(_ entry: ArchiveEntry, in archive: ArchiveReader) throws(ArchiveError) {
        // A key that is no URL cannot be looked up.
        guard let url = try? CanonicalURL(parsing: entry.key) else { return }
        _ = try archive.captures(of: url, method: entry.method, bodyDigest: entry.requestBody?.digest)
    }

    /// The content if only the first commits count.
    func reduced(to commits: Int, _ expected: Expected) -> Content {
        var reduced = Content()
        reduced.commits = commits
        for (number, entry) in expected.listing(commits: self.commits).enumerated() where entry.commit ?? 0 < commits {
            reduced.entries.append(entries[number])
            reduced.bodies.append(bodies[number])
            reduced.requestBodies.append(requestBodies[number])
        }
        return reduced
    }

    private init() {}
}

extension Content.Entry {
    init(_ entry: ArchiveEntry) throws(ArchiveError) {
        let request = try entry.request
        key = try entry.key
        url = request.url
        method = request.method
        isServed = try [.exchange, .alias].contains(entry.role)
        time = try entry.time?.nanoseconds ?? 0
        requestHeaders = request.headers.map(Self.latin)
        requestBody = try entry.requestBody.map(Content.Body.init)
        body = try entry.body.map(Content.Body.init)
        later["failure"] = try entry.failure
        later["requestVersion"] = request.version
        originals["requestHead"] = try entry.requestHead.map(Content.Body.init)
        originals["requestWire"] = try entry.requestWire.map(Content.Body.init)
        guard let response = try entry.response else { return }
        kind = response.isRedirect ? "redirect" : "response"
        status = response.status
        reason = response.reason
        headers = response.headers.map(Self.latin)
        mediaType = response.mediaType
        charset = response.charset
        target = response.redirectTarget
        modified = response.modified?.nanoseconds ?? 0
        codings = response.codings
        address = response.address
        later["version"] = response.version
        later["truncated"] = response.truncation
        later["absent"] = response.absentDigest
        later["derived"] = response.isDerived ? "1" : nil
        originals["head"] = try entry.responseHead.map(Content.Body.init)
        originals["wire"] = try entry.responseWire.map(Content.Body.init)
    }

    init(_ expected: Expected.Entry) {
        key = expected.key
        url = expected.url ?? expected.key
        method = expected.method
        isServed = (0...1).contains(expected.role ?? 0)
        time = expected.time ?? 0
        kind = expected.kind
        status = expected.status ?? 0
        reason = expected.reason ?? ""
        headers = expected.headers ?? []
        mediaType = expected.mediaType
        charset = expected.charset
        target = expected.target
        modified = expected.modified ?? 0
        codings = expected.codings?.split(separator: ", ").map(String.init) ?? []
        address = expected.address
        body = expected.body.map { Content.Body(digest: $0.digest, length: $0.length) }
        requestHeaders = expected.requestHeaders ?? []
        requestBody = expected.requestBody.map { Content.Body(digest: $0.digest, length: $0.length) }
        let texts = [
            ("version", expected.version), ("truncated", expected.truncated), ("absent", expected.absent),
            ("failure", expected.failure), ("requestVersion", expected.requestVersion),
            ("derived", expected.derived.map { "\($0)" }),
        ]
        for (name, value) in texts { later[name] = value }
        let bodies = [
            ("head", expected.head), ("wire", expected.wire), ("requestHead", expected.requestHead),
            ("requestWire", expected.requestWire),
        ]
        for (name, body) in bodies { originals[name] = body.map(Content.Body.init) }
    }

    /// Name and value, each byte a character.
    static func latin(_ field: HeaderField) -> [String] {
        [field.nameBytes, field.valueBytes].map { bytes in
            String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
    }
}

extension Content.Body {
    init(_ identity: Expected.Identity) { (digest, length) = (identity.digest, identity.length) }

    init(_ body: ArchiveBody) {
        digest = body.digest.description
        length = body.length
    }
}

/// An archive in memory that the library must copy from, as it does from a file.
final class CopyingSource: ByteSource {
    private let bytes: [UInt8]
    let name = "copied bytes"
    var length: UInt64 { UInt64(bytes.count) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard offset <= length, UInt64(buffer.count) <= length - offset else {
            throw ArchiveError(.truncated, "read past the end", offset: offset)
        }
        buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
    }
}

/// The ways in which the library reads an archive.
enum Way: CaseIterable, Sendable {
    case memory, copies

    func open(_ bytes: [UInt8], trust: ArchiveTrust? = nil) throws(ArchiveError) -> ArchiveReader {
        switch self {
        case .memory: try ArchiveReader(bytes: bytes, trust: trust)
        case .copies: try ArchiveReader(source: CopyingSource(bytes), trust: trust)
        }
    }
}
