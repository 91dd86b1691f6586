// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

/// Spec/vectors/valid: every entry with every field, every body, every lookup.
@Suite struct ValidVectorTests {
    @Test(arguments: Vectors.valid, Way.allCases)
    func entries(_ vector: Vectors.Valid, _ way: Way) throws {
        let archive = try way.open(vector.bytes)
        #expect(archive.commitCount == vector.expected.commits)
        #expect((archive.tornTail > 0) == vector.expected.tornTail)
        #expect(archive.entryCount == vector.expected.entries.count)
        let found = try archive.entries().map { try Content.Entry($0) }
        let expected = vector.expected.listing(commits: vector.expected.commits).map { Content.Entry($0) }
        try #require(found.count == expected.count)
        for (found, expected) in zip(found, expected) { #expect(found == expected) }
    }

    @Test(arguments: Vectors.valid)
    func filesByPath(_ vector: Vectors.Valid) throws {
        let inMemory = try Content(reading: { () throws(ArchiveError) in try ArchiveReader(bytes: vector.bytes) })
        let folder = try TemporaryFolder()
        let path = try folder.write(vector.name, vector.bytes)
        for access in [FileByteSource.Access.positional, .mapped] {
            let content = try Content(reading: { () throws(ArchiveError) in
                try ArchiveReader(path: path, access: access)
            })
            #expect(content == inMemory)
        }
    }

    @Test(arguments: Vectors.valid)
    func metadata(_ vector: Vectors.Valid) throws {
        let archive = try ArchiveReader(bytes: vector.bytes)
        var texts: [String: String] = [:]
        for (name, value) in vector.expected.metadata {
            switch value {
            case .text(let text):
                texts[name] = text
                #expect(try archive.metadataBody(name)?.length == nil)
            case .body(let body):
                let found = try #require(try archive.metadataBody(name))
                #expect(Content.Body(found) == Content.Body(digest: body.digest, length: body.length))
            }
        }
        #expect(try archive.metadata() == texts)
    }

    @Test(arguments: Vectors.valid)
    func listedLookups(_ vector: Vectors.Valid) throws {
        let archive = try ArchiveReader(bytes: vector.bytes)
        for lookup in vector.expected.lookups {
            let digest = lookup.requestDigest.flatMap { ContentDigest(hexadecimal: $0) }
            let url = try CanonicalURL(parsing: lookup.url)
            let found = try archive.captures(of: url, method: lookup.method, bodyDigest: digest)
            let expected = lookup.finds.map { Content.Entry(vector.expected.entries[$0]) }
            #expect(try found.map { try Content.Entry($0) } == expected, "\(lookup.method) \(lookup.url)")
            let newest = try archive.entry(for: url, method: lookup.method, bodyDigest: digest)
            #expect(try newest.map { try Content.Entry($0) } == expected.first, "\(lookup.method) \(lookup.url)")
        }
    }

    @Test(arguments: Vectors.valid, Way.allCases)
    func lookupOfEveryEntry(_ vector: Vectors.Valid, _ way: Way) throws {
        let archive = try way.open(vector.bytes)
        for entry in try archive.entries() {
            let fields = try Content.Entry(entry)
            for text in [fields.key, fields.url] {
                let url = try CanonicalURL(parsing: text)
                #expect(url.description == fields.key)
                let digest = try entry.requestBody?.digest
                let found = try archive.captures(of: url, method: fields.method, bodyDigest: digest)
                #expect(try found.contains { try Content.Entry($0) == fields } == fields.isServed, "\(text)")
            }
            let listed = try archive.entries(prefix: fields.key)
            #expect(try listed.contains { try Content.Entry($0) == fields })
        }
    }

    @Test func bodies() throws {
        var checked: [(sha256: String, bytes: [UInt8], name: String)] = []
        for vector in Vectors.valid {
            let archive = try ArchiveReader(bytes: vector.bytes)
            let listing = vector.expected.listing(commits: vector.expected.commits)
            for (entry, expected) in zip(try archive.entries(), listing) {
                let both = try [(entry.body, expected.body), (entry.requestBody, expected.requestBody)]
                for (body, expected) in both {
                    guard let body, let expected else { continue }
                    let bytes = try body.bytes()
                    #expect(UInt64(bytes.count) == expected.length)
                    #expect(ContentDigest(hashing: bytes) == body.digest)
                    #expect(try pieces(of: body) == bytes)
                    #expect(try archive.bodies(digest: body.digest).contains { try $0.bytes() == bytes })
                    checked.append((expected.sha256, bytes, vector.name))
                }
            }
            for (name, value) in vector.expected.metadata {
                guard case .body(let expected) = value, let body = try archive.metadataBody(name) else { continue }
                checked.append((expected.sha256, try body.bytes(), vector.name))
            }
        }
        #expect(checked.count > 100)
        let found = try Python.sha256(checked.map(\.bytes))
        try #require(found.count == checked.count)
        for (found, checked) in zip(found, checked) { #expect(found == checked.sha256, "\(checked.name)") }
    }

    /// The bytes of a body, read by ranges that fit no block.
    private func pieces(of body: ArchiveBody) throws -> [UInt8] {
        let step = max(1, body.length / 3)
        return try stride(from: 0, to: body.length, by: Int(step)).flatMap { start in
            try body.bytes(in: start..<min(start + step, body.length))
        }
    }

    @Test(arguments: Vectors.valid)
    func verifierFindsNothingElse(_ vector: Vectors.Valid) throws {
        let findings = ArchiveVerifier(try ArchiveReader(bytes: vector.bytes)).run()
        let errors = findings.filter { $0.severity == .error }.map(\.code)
        #expect(errors == (vector.expected.lastCommitDamaged ? [.damaged] : []))
    }
}
