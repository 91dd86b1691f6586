// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WebArchive

@testable import WebArchiveUpdates

/// Lists of updates as bytes, before any signature counts. Specification section 1.
@Suite struct ListEnvelopeTests {
    private let key = ArchiveSigningKey()
    private let text: String

    init() throws {
        let digest = String(repeating: "0", count: 64)
        let file = UpdateManifest.File(name: "site-1.webarc", length: 1, sha256: digest)
        let list = UpdateManifest(
            series: "ü", time: 1, editions: [.init(sequence: 1, identity: digest, file: file)], patches: [])
        let envelope = try SignedManifest(list, keys: [key], endorsements: [], revocations: [])
        text = String(decoding: try envelope.encoded(), as: UTF8.self)
    }

    private func series(_ bytes: [UInt8]) throws -> String {
        try SignedManifest(decoding: bytes, name: "").manifest(trust: ArchiveTrust([key.publicKey]), name: "").series
    }

    /// The list with one more member.
    private func list(with member: String) -> String { "{\(member),\(text.dropFirst())" }

    @Test(arguments: [
        "\"x\" : \t\r\n1", "\"\\u0061\":\"\\u007F\\u002b\\u002B\\n\\/\"", "\"x\":\"\\\\u0315\"", "\"x\":\"\\\"\\\\\"",
    ])
    func aListInASCIIIsRead(_ member: String) throws {
        #expect(try series(Array(list(with: member).utf8)) == "ü")
    }

    @Test(arguments: [
        "\"x\u{315}\u{327}\":1", "\"x\":\"ü\"", "\"x\\u0315\\u0327\":1", "\"x\":\"\\u00e9\"", "\"x\":\"\\u0080\"",
        "\"x\":\"\\\\\\u0315\"", "\"x\":\"\\uD83D\\uDE00\"", "\"x\":\"\u{7F}\"",
    ])
    func aListBeyondASCIIIsRefused(_ member: String) {
        #expect(throws: ArchiveError(.damaged, "")) { try series(Array(list(with: member).utf8)) }
    }

    /// The decoder would know them by their zeros. U+0315 has bytes of ASCII alone.
    @Test(arguments: [.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian] as [String.Encoding])
    func aListInAnotherEncodingIsRefused(_ encoding: String.Encoding) throws {
        let bytes = try #require(list(with: "\"x\u{315}\":1").data(using: encoding))
        #expect(throws: ArchiveError(.damaged, "")) { try series(Array(bytes)) }
    }
}
