// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Rows on their way into an index, against simpler ways to hold them.
@Suite struct IndexDraftTests {
    @Test func aRowListIsAnArray() {
        var random = SeededGenerator.printed()
        var list = RowList<Int>()
        var array: [Int] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where !array.isEmpty:
                let length = Int.random(in: 0...array.count, using: &random)
                list.truncate(to: length)
                array.removeSubrange(length...)
            case 1 where !array.isEmpty:
                let index = Int.random(in: 0..<array.count, using: &random)
                list[index] += 1
                array[index] += 1
            default:
                // Pieces have 8,192 elements.
                for _ in 0..<[1, 100, 8191, 8192, 20_000].randomElement(using: &random)! {
                    list.append(array.count)
                    array.append(array.count)
                }
            }
            #expect((0..<list.count).map { list[$0] } == array && list.isEmpty == array.isEmpty, "seed \(random.seed)")
        }
    }

    @Test func keysStayWhatTheyAre() {
        var random = SeededGenerator.printed()
        let text = KeyText()
        var keys: [(position: UInt64, bytes: [UInt8])] = []
        for _ in 0..<200 {
            let length = [0, 1, 80, 65_535].randomElement(using: &random)! - Int.random(in: 0...1, using: &random)
            let key = random.bytes(max(0, length))
            keys.append((text.append(key), key))
        }
        for key in keys {
            #expect(Array(text.key(at: key.position, length: key.bytes.count)) == key.bytes, "seed \(random.seed)")
        }
    }

    @Test func answersAreGivenBackAsTheyCame() {
        var random = SeededGenerator.printed()
        var rows = AnswerRows()
        var responses: [IndexDraft.Answer] = []
        func small() -> UInt32 { UInt32.random(in: 0...2, using: &random) }
        for _ in 0..<2000 {
            let response = IndexDraft.Answer(
                modified: Int64.random(in: .min ... .max, using: &random), status: UInt16(200 + small()),
                reason: small(),
                headers: small(), fill: small(), mediaType: small(), charset: small(), body: small(), address: small(),
                codings: small(), target: small())
            responses.append(response)
            rows.append(response)
        }
        #expect(rows.count == responses.count)
        for (number, response) in responses.enumerated() {
            #expect("\(rows[number])" == "\(response)", "seed \(random.seed)")
        }
    }

    @Test func theEntryThatWasMadeFindableLastIsFound() throws {
        var random = SeededGenerator.printed()
        var draft = IndexDraft()
        var expected: [CanonicalURL: Int] = [:]
        let urls = try (0..<700).map { try CanonicalURL("https://site.example/\($0)") }
        for _ in 0..<3000 {
            let url = urls.randomElement(using: &random)!
            let entry = try draft.addEntry(key: url, url: 0, request: 0, answer: 0, time: 0, role: .exchange)
            guard Bool.random(using: &random) else { continue }
            draft.makeFindable(entry)
            expected[url] = entry
        }
        for url in urls { #expect(draft.entry(url) == expected[url], "seed \(random.seed)") }
        #expect(try draft.entry(CanonicalURL("https://site.example/")) == nil)
    }
}
