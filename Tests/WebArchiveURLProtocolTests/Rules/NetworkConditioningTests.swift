// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct NetworkConditioningTests {
    @Test func aPartOfABodyTakesItsTime() {
        #expect(NetworkConditioning(bytesPerSecond: 1000).time(forBytes: 2500) == .milliseconds(2500))
        #expect(NetworkConditioning(bytesPerSecond: 3).time(forBytes: 1) == .nanoseconds(333_333_333))
        #expect(NetworkConditioning(bytesPerSecond: 1).time(forBytes: .max) == .seconds(Int64.max))
        #expect(NetworkConditioning().time(forBytes: 1000) == .zero)
    }

    @Test(arguments: [1, 2, 1023, 1024, 1025, 100_000]) func damageIsTheSameForTheSameSeed(length: Int) {
        let body = Data(repeating: 7, count: length)
        func damaged(_ seed: UInt64) -> Data {
            var copy = body
            Corruption(seed: seed).apply(to: &copy)
            return copy
        }
        let first = damaged(1)
        #expect(first == damaged(1))
        #expect(first.count == length)
        // One byte in each stretch of 1024, and no more.
        let changed = zip(first, body).count { $0 != $1 }
        #expect(changed == (length + 1023) / 1024)
        if length > 1000 { #expect(first != damaged(2)) }
    }

    @Test func nothingAndASliceAreDamagedAsWellAsCanBe() {
        var empty = Data()
        Corruption(seed: 1).apply(to: &empty)
        #expect(empty.isEmpty)
        var slice = Data(repeating: 1, count: 100).dropFirst(60)
        Corruption(seed: 1).apply(to: &slice)
        #expect(slice.count == 40 && slice.count { $0 != 1 } == 1)
    }
}

@Suite struct LocalResponseTests {
    @Test func responsesAreWrittenInAWord() {
        let response = LocalResponse.text("hallo").status(201).header("X-A", "1").header("X-A", "2").after(.seconds(1))
        #expect(response.status == 201 && response.delay == .seconds(1))
        #expect(response.headers["X-A"] == "1, 2")
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(LocalResponse.failure(.timedOut).failure == .timedOut)
        #expect(LocalResponse.status(204).headers.isEmpty)
    }

    @Test func literalsBecomeJSONThatFoundationReads() throws {
        let json: JSONBody = [
            "id": 7, "name": "\"ä\"\n\u{1F600}", "price": 1.5, "tags": ["a", "b", []], "gone": nil, "isNew": true,
            "quote \" \\": [:],
        ]
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
        #expect(read["id"] as? Int == 7)
        #expect(read["name"] as? String == "\"ä\"\n\u{1F600}")
        #expect(read["price"] as? Double == 1.5)
        #expect((read["tags"] as? [Any])?.count == 3)
        #expect(read["gone"] is NSNull)
        #expect(read["isNew"] as? Bool == true)
        #expect(read["quote \" \\"] != nil)
        let number = 3
        #expect(("number \(number)" as JSONBody).text == "\"number 3\"")
        #expect(try JSONBody(encoding: ["a": 1]).text == "{\"a\":1}")
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func numbersThatJSONHasNotBecomeNull(_ value: Double) throws {
        let text = JSONBody(arrayLiteral: JSONBody(floatLiteral: value)).text
        let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])
        #expect(read.count == 1 && read[0] is NSNull)
    }
}
