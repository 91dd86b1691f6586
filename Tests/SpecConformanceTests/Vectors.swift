// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WebArchive

/// The archives of Spec/vectors and what reading them must give, as Spec/vectors/README.md describes it.
enum Vectors {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let folder = root.appendingPathComponent("Spec/vectors")

    struct Valid: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let expected: Expected
        var testDescription: String { name }
    }

    struct Invalid: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let code: ArchiveError.Code
        let stage: Stage
        var testDescription: String { name }
    }

    static let valid: [Valid] = load("valid", \.valid).map { name, bytes, one in
        Valid(name: name, bytes: bytes, expected: one)
    }

    static let invalid: [Invalid] = load("invalid", \.invalid).map { name, bytes, one in
        Invalid(name: name, bytes: bytes, code: ArchiveError.Code(rawValue: one.code), stage: one.where)
    }

    static let urls = decode(URLs.self, "urls.json")
    private static let expectations = decode(Expectations.self, "expectations.json")

    // A vector that is missing or malformed ends the tests: there is nothing to test against.
    static func decode<Value: Decodable>(_: Value.Type, _ name: String) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
        } catch {
            fatalError("Spec/vectors/\(name): \(error)")
        }
    }

    private static func load<Value>(
        _ kind: String, _ which: (Expectations) -> [String: Value]
    ) -> [(name: String, bytes: [UInt8], expected: Value)] {
        which(expectations).sorted { $0.key < $1.key }.map { name, expected in
            do {
                let file = folder.appendingPathComponent(kind).appendingPathComponent(name)
                return (name, try Array(Data(contentsOf: file)), expected)
            } catch {
                fatalError("Spec/vectors/\(kind)/\(name): \(error)")
            }
        }
    }
}

/// A stage that a reader reaches with an archive. Stages follow one another.
enum Stage: String, Decodable, Comparable, CaseIterable, Sendable {
    case open, list, body, verify

    static func < (left: Stage, right: Stage) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}

struct URLs: Decodable {
    let canonical: [[String]]
    let invalid: [String]
}

private struct Expectations: Decodable {
    struct Failure: Decodable {
        let code: String
        let `where`: Stage
    }

    let valid: [String: Expected]
    let invalid: [String: Failure]

    private enum Keys: CodingKey { case valid, invalid }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        invalid = try container.decode([String: Failure].self, forKey: .invalid)
        let listed = try container.decode([String: Expected].self, forKey: .valid)
        valid = listed.mapValues { one in
            var one = one
            if let other = one.entriesOf.flatMap({ listed[$0] }) { one.entries = other.entries }
            return one
        }
    }
}

/// The expected result of reading an archive.
struct Expected: Decodable, Sendable {
    struct Lookup: Decodable, Sendable {
        let url: String
        let method: String
        let requestDigest: String?
        /// Positions in ``entries``, newest first.
        let finds: [Int]
    }

    struct Body: Decodable, Hashable, Sendable {
        let digest: String
        let length: UInt64
        let sha256: String
    }

    enum Metadata: Decodable, Sendable {
        case text(String)
        case body(Body)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .body(try container.decode(Body.self))
            }
        }
    }

    /// A member that is left out is null, 0 or empty; the URL is then the key.
    struct Entry: Decodable, Sendable {
        let key: String
        let commit: Int?
        let url: String?
        let method: String
        let role: Int64?
        let time: Int64?
        let kind: String?
        let status: Int?
        let reason: String?
        let headers: [[String]]?
        let mediaType: String?
        let charset: String?
        let target: String?
        let modified: Int64?
        let codings: String?
        let address: String?
        let body: Body?
        let requestHeaders: [[String]]?
        let requestBody: Body?
        let version, truncated, absent, failure, requestVersion: String?
        let derived: Int?
        let head, wire, requestHead, requestWire: Identity?
    }

    /// A body by its digest and its length.
    struct Identity: Decodable, Hashable, Sendable {
        let digest: String
        let length: UInt64
    }

    struct Record: Decodable, Sendable {
        struct Exchange: Decodable, Sendable {
            let key: String
            let time: Int64
            let part: Int
        }

        let version: String
        let headers: [[String]]
        let head, block: Identity?
        let exchange: Exchange?
        let end: String
    }

    struct Page: Decodable, Sendable {
        let url: String
        let time: Int64
        let title: String?
        let text, screenshot: Identity?
        let status, seed, depth: Int?
    }

    /// The oldest commit first, in the order of the rows.
    var entries: [Entry]
    /// The vector that has the same entries, where they are not listed.
    let entriesOf: String?
    let commits: Int
    let tornTail, lastCommitDamaged: Bool
    let metadata: [String: Metadata]
    let lookups: [Lookup]
    /// Those of archives that have some.
    let records: [Record]
    let pages: [Page]

    private enum Keys: CodingKey {
        case entries, commits, tornTail, lastCommitDamaged, metadata, lookups, records, pages
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        entriesOf = try? container.decode(String.self, forKey: .entries)
        entries = entriesOf == nil ? try container.decode([Entry].self, forKey: .entries) : []
        commits = try container.decode(Int.self, forKey: .commits)
        tornTail = try container.decode(Bool.self, forKey: .tornTail)
        lastCommitDamaged = try container.decode(Bool.self, forKey: .lastCommitDamaged)
        metadata = try container.decode([String: Metadata].self, forKey: .metadata)
        lookups = try container.decode([Lookup].self, forKey: .lookups)
        records = try container.decodeIfPresent([Record].self, forKey: .records) ?? []
        pages = try container.decodeIfPresent([Page].self, forKey: .pages) ?? []
    }

    /// The entries of the first `commits` commits in the order in which this library lists them: by key, the newest commit first.
    func listing(commits: Int) -> [Entry] {
        entries.enumerated().filter { $0.element.commit ?? 0 < commits }.sorted { left, right in
            let (leftKey, rightKey) = (Array(left.element.key.utf8), Array(right.element.key.utf8))
            if leftKey != rightKey { return leftKey.lexicographicallyPrecedes(rightKey) }
            let (leftCommit, rightCommit) = (left.element.commit ?? 0, right.element.commit ?? 0)
            return leftCommit != rightCommit ? leftCommit > rightCommit : left.offset < right.offset
        }.map(\.element)
    }
}
