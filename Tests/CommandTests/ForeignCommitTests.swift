// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// A signed archive that somebody without the publisher's key could write to, and its publisher, who signs it again.
@Suite struct ForeignCommitTests {
    private let folder: TemporaryFolder

    /// An archive of one page, signed as edition 5 of docs.example.
    init() throws {
        folder = try TemporaryFolder()
        for name in ["publisher.key", "stranger.key"] { #expect(try webarc("key", "create", name).status == 0) }
        try write("site", "index")
        try write("news", "news")
        let packed = try webarc(
            "pack", "site", "-o", "s.webarc", "--base-url", "https://docs.example/", "--sign", "publisher.key",
            "--sequence", "5")
        try #require(packed.status == 0, "\(packed.errorText)")
    }

    private func webarc(_ arguments: String...) throws -> ExternalTool.Result { try webarc(arguments) }

    private func webarc(_ arguments: [String]) throws -> ExternalTool.Result {
        try WebarcTool.run(arguments, in: folder.url, environment: ["SOURCE_DATE_EPOCH": "1750000000"])
    }

    /// A page of noise, which has a block of its own that is stored as it is.
    private func write(_ site: String, _ name: String) throws {
        var random = SeededGenerator(seed: 15)
        let page = Array("<title>\(name)</title>".utf8) + random.bytes(300_000)
        try folder.write("\(site)/\(name).html", page)
    }

    /// Adds a page without the publisher's key.
    private func append(_ arguments: String...) throws {
        try write("evil", "evil")
        let result = try webarc(
            ["pack", "evil", "-o", "s.webarc", "--append", "--base-url", "https://docs.example/"] + arguments)
        try #require(result.status == 0, "\(result.errorText)")
    }

    /// The publisher's command to add the news.
    private static let publish = [
        "pack", "news", "-o", "s.webarc", "--append", "--base-url", "https://docs.example/", "--sign", "publisher.key",
    ]
    private static let sign = ["sign", "s.webarc", "--key", "publisher.key"]

    /// The output for a reader with the publisher's key.
    private func verified() throws -> String {
        let result = try webarc("verify", "s.webarc", "--key", "publisher.pub")
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
        return result.text
    }

    private func change(_ edit: (inout [UInt8]) throws -> Void) throws {
        var bytes = try folder.read("s.webarc")
        try edit(&bytes)
        try folder.write("s.webarc", bytes)
    }

    private func publicKey(_ name: String) throws -> [UInt8] {
        let line = try webarc("key", "show", name).lines[0]
        return Array(try #require(Data(base64Encoded: line)).suffix(32))
    }

    /// The place of the last occurrence of bytes.
    private func last(_ part: [UInt8], in bytes: [UInt8]) throws -> Int {
        try #require(bytes.indices.last { bytes[$0...].starts(with: part) })
    }

    // MARK: - Statements

    /// The statement names the publisher's key, of which the stranger has the public half alone.
    @Test(arguments: [(sign, "edition 5 of docs.example"), (publish, "edition 1750000000 of docs.example")])
    func aKeyThatIsNamedAndDidNotSign(_ command: [String], _ edition: String) throws {
        let forged = try webarc(
            "sign", "s.webarc", "--key", "stranger.key", "--series", "evil.example", "--sequence",
            "18446744073709551614")
        #expect(forged.status == 0)
        let (theirs, own) = (try publicKey("stranger.pub"), try publicKey("publisher.pub"))
        try change { bytes in
            let place = try last(theirs, in: bytes)
            bytes.replaceSubrange(place..<place + 32, with: own)
        }
        let result = try webarc(command)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try verified().contains(edition))
    }

    @Test(arguments: [sign, publish])
    func aStrangersStatementIsNotTakenOver(_ command: [String]) throws {
        let signed = try webarc(
            "sign", "s.webarc", "--key", "stranger.key", "--series", "evil.example", "--sequence", "9")
        #expect(signed.status == 0)
        let result = try webarc(command)
        #expect(result.status == 64 && result.errorText.contains("edition 9 of evil.example"), "\(result.errorText)")
    }

    // MARK: - Content

    @Test func whatStrangersAppendedIsNotSignedUnseen() throws {
        try append()
        let before = try folder.read("s.webarc")
        let refused = try webarc(Self.publish)
        #expect(refused.status == 1)
        #expect(refused.errorText.contains("1 commit follows the newest commit signed by this key"))
        #expect(refused.errorText.contains("webarc sign"))
        #expect(try folder.read("s.webarc") == before)
        let signed = try webarc(Self.sign)
        #expect(signed.status == 0)
        #expect(signed.errorText.contains("warning: 1 previously unsigned commit is now signed"))
        let again = try webarc(Self.sign)
        #expect(again.status == 0 && !again.errorText.contains("now signed"))
        let published = try webarc(Self.publish)
        #expect(published.status == 0 && !published.errorText.contains("now signed"), "\(published.errorText)")
        #expect(try !verified().contains("not signed"))
    }

    @Test func commitsThatAStrangerSignedAreRefusedAsWell() throws {
        try append("--sign", "stranger.key", "--series", "docs.example", "--sequence", "6")
        let refused = try webarc(Self.publish + ["--series", "docs.example", "--sequence", "7"])
        #expect(refused.status == 1 && refused.errorText.contains("1 commit follows"))
    }

    @Test func anArchiveThatNobodySigned() throws {
        #expect(try webarc("pack", "site", "-o", "s.webarc").status == 0)
        let published = try webarc(Self.publish)
        #expect(published.status == 0, "\(published.errorText)")
        #expect(published.errorText.contains("warning: 1 previously unsigned commit is now signed"))
        let read = try webarc(
            "cat", "s.webarc", "http://localhost/index.html", "--require-key", "publisher.pub")
        #expect(read.status == 0 && read.output.count > 300_000, "\(read.errorText)")
    }

    // MARK: - Damage

    @Test func damageInAnArchiveThatNobodySigned() throws {
        #expect(try webarc("pack", "site", "-o", "s.webarc").status == 0)
        try change { $0[200] ^= 1 }
        let before = try folder.read("s.webarc")
        let result = try webarc(Self.publish)
        #expect(result.status == 1 && result.errorText.contains("cannot sign: "), "\(result.errorText)")
        #expect(try folder.read("s.webarc") == before)
    }

    @Test func damageBehindTheNewestSignature() throws {
        try append()
        try change { bytes in bytes[try last(Array("<title>evil".utf8), in: bytes)] ^= 1 }
        let result = try webarc(Self.sign)
        #expect(result.status == 1 && result.errorText.contains("cannot sign: "), "\(result.errorText)")
    }

    /// The stranger's signature is wrong, so that no key leads to the tree, and the block keeps its CRC.
    @Test func aBlockThatAWronglySignedTreeDoesNotCover() throws {
        try append("--sign", "stranger.key", "--series", "docs.example", "--sequence", "6")
        let key = try publicKey("stranger.pub")
        try change { bytes in
            bytes[try last(key, in: bytes) + 40] ^= 1
            let page = try last(Array("<title>evil".utf8), in: bytes)
            for (number, byte) in [UInt8]([0x41, 0x06, 0x71, 0xDB, 0x01]).enumerated() {
                bytes[page + 100 + number] ^= byte
            }
        }
        let result = try webarc(Self.sign)
        #expect(result.status == 1 && result.errorText.contains("does not match the signature"), "\(result.errorText)")
    }

    /// A writer was killed, or somebody appended a byte.
    @Test(arguments: [sign, publish])
    func aTornTailBehindTwoCommits(_ command: [String]) throws {
        #expect(try webarc(Self.publish).status == 0)
        try write("news", "more")
        try change { $0.append(0x78) }
        let result = try webarc(command)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try verified().contains("of docs.example"))
    }

    // MARK: - The key

    @Test func theKeyInTheFolderIsNotPacked() throws {
        try FileManager.default.copyItem(
            atPath: folder.path("publisher.key").string, toPath: folder.path("site/own.key").string)
        try FileManager.default.linkItem(
            atPath: folder.path("site/own.key").string, toPath: folder.path("site/other-name").string)
        let packed = try webarc("pack", "site", "-o", "s.webarc", "--sign", "site/own.key")
        #expect(packed.status == 0)
        #expect(
            packed.errorText.contains("own.key: the signing key; left out"), "\(packed.errorText)"
        )
        #expect(try !webarc("ls", "s.webarc").text.contains("own.key"))
        #expect(try !webarc("ls", "s.webarc").text.contains("other-name"))
        let named = try webarc("pack", "site/own.key", "-o", "s.webarc", "--sign", "site/own.key")
        #expect(named.status == 64 && named.errorText.contains("cannot be packed"), "\(named.errorText)")
    }

    /// Nothing of a stranger gets a signature on the way through another command.
    @Test func mergeSignsNoStrangersCommits() throws {
        try append()
        let merge = ["merge", "s.webarc", "-o", "all.webarc", "--sign", "publisher.key"]
        let refused = try webarc(merge)
        #expect(
            refused.status == 1 && refused.errorText.contains("follows the newest commit signed by this key"),
            "\(refused.errorText)")
        #expect(try webarc(merge + ["--require-key", "publisher.pub"]).status == 0)
        let stranger = try webarc("cat", "all.webarc", "https://docs.example/evil.html")
        #expect(stranger.status == 1)
        // Another publisher is reported.
        let other = try webarc("merge", "s.webarc", "-o", "other.webarc", "--sign", "stranger.key")
        #expect(
            other.status == 0 && other.errorText.contains("1 previously unsigned commit is now signed"),
            "\(other.errorText)")
    }
}
