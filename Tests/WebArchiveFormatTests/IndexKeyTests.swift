// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveFormat

/// Holds the declarations in the code against the words of the specification's section 7.
@Suite struct IndexKeyTests {
    private struct Declaration: Hashable {
        let owner: String
        let name: String
        let type: String
        let targets: [String]
    }

    private static func type(_ words: String) -> (type: String, targets: [String])? {
        if let match = words.firstMatch(of: /^→ ([A-Z][A-Za-z]+)(?: or ([A-Z][A-Za-z]+))?/) {
            return ("reference", [String(match.output.1)] + (match.output.2.map { [String($0)] } ?? []))
        }
        return words.firstMatch(of: /^(integer|time|bytes|text)\b/).map { (String($0.output.1), []) }
    }

    /// Keys stand in tables under their class, or in its paragraph as `name` → Class or `name` type.
    private static func declarations() -> Set<Declaration> {
        var found: Set<Declaration> = []
        var owner = ""
        for line in SpecificationText.section("## 7.") {
            if line.hasPrefix("|") {
                let cells = SpecificationText.rows([line]).first ?? []
                guard cells.count == 3, cells[0].hasPrefix("`"), let (type, targets) = type(cells[1]) else { continue }
                let name = cells[0].filter { $0 != "`" }
                found.insert(Declaration(owner: owner, name: name, type: type, targets: targets))
                continue
            }
            // Several classes may share a line: each part begins with a class in bold.
            for part in line.split(separator: "**", omittingEmptySubsequences: false).map(String.init) {
                if part.wholeMatch(of: /[A-Z][A-Za-z]+/) != nil {
                    owner = part
                    continue
                }
                let pieces = part.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
                for (name, words) in zip(pieces, pieces.dropFirst()) where name.wholeMatch(of: /[a-zA-Z]+/) != nil {
                    guard words.hasPrefix(" "), let (type, targets) = type(String(words.dropFirst())) else { continue }
                    found.insert(Declaration(owner: owner, name: name, type: type, targets: targets))
                }
            }
        }
        return found
    }

    @Test func asSpecified() {
        var written = Self.declarations()
        // "the keys of Response, with … and `target`".
        for key in written.filter({ $0.owner == "Response" }) {
            written.insert(Declaration(owner: "Redirect", name: key.name, type: key.type, targets: key.targets))
        }
        let declared = Set(
            IndexKey.allCases.map {
                Declaration(
                    owner: $0.owner.name, name: $0.name, type: "\($0.type)", targets: $0.targets.map(\.name))
            })
        #expect(declared.subtracting(written).isEmpty, "in the code only")
        #expect(written.subtracting(declared).isEmpty, "in the specification only")
        #expect(declared.count == IndexKey.allCases.count)
    }

    @Test func defaults() {
        for key in IndexKey.allCases {
            let expected: Int64 = [.responseStatus: 200, .redirectStatus: 301][key] ?? 0
            #expect(key.defaultValue == expected, "\(key)")
        }
    }

    @Test(arguments: [(AnswerKeys.response, IndexClass.response), (.redirect, .redirect)])
    func answersShareTheirKeys(keys: AnswerKeys, owner: IndexClass) {
        let all = [
            keys.status, keys.reason, keys.headers, keys.fill, keys.mediaType, keys.charset, keys.body,
            keys.modified, keys.address, keys.codings, keys.version, keys.head, keys.wire, keys.truncated, keys.absent,
            keys.derived,
        ]
        let names = [
            "status", "reason", "headers", "fill", "mediaType", "charset", "body", "modified", "address", "codings",
            "version", "head", "wire", "truncated", "absent", "derived",
        ]
        #expect(all.map(\.name) == names)
        #expect(all.allSatisfy { $0.owner == owner })
    }
}
