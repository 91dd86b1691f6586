// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// `key`, `sign`, and the options of the other commands for signed archives, as a publisher and a reader use them.
@Suite struct SigningTests {
    private let folder: TemporaryFolder
    private let site: FilePath

    /// A site of two pages with blocks of their own, and the key of its publisher.
    init() throws {
        folder = try TemporaryFolder()
        site = folder.path("s.webarc")
        var random = SeededGenerator(seed: 15)
        for name in ["index", "other"] {
            try folder.write("site/\(name).html", Array("<title>\(name)</title>".utf8) + random.bytes(300_000))
        }
        #expect(try webarc("key", "create", "publisher.key").status == 0)
    }

    private func webarc(_ arguments: String..., epoch: Int = 1_750_000_000) throws -> ExternalTool.Result {
        try WebarcTool.run(
            arguments, in: folder.url, environment: ["SOURCE_DATE_EPOCH": "\(epoch)"])
    }

    private func pack(_ arguments: String..., epoch: Int = 1_750_000_000) throws {
        let result = try WebarcTool.run(
            ["pack", "site", "-o", "s.webarc", "--base-url", "https://docs.example/", "--sign", "publisher.key"]
                + arguments,
            in: folder.url, environment: ["SOURCE_DATE_EPOCH": "\(epoch)"])
        try #require(result.status == 0, "\(result.errorText)")
    }

    /// Changes bytes of the stored block that holds a page, which keep its CRC: adding the polynomial of the CRC changes no remainder.
    private func tamper(withPage name: String) throws {
        var bytes = try folder.read("s.webarc")
        let page = try #require(bytes.indices.first { bytes[$0...].starts(with: "<title>\(name)</title>".utf8) })
        for (number, byte) in [UInt8]([0x41, 0x06, 0x71, 0xDB, 0x01]).enumerated() {
            bytes[page + 100 + number] ^= byte
        }
        try folder.write("s.webarc", bytes)
    }

    @Test func keysHaveTwoFiles() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("publisher.key").string)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let line = try webarc("key", "show", "publisher.pub").text
        #expect(try webarc("key", "show", "publisher.key").text == line)
        #expect(line.count == 61 && line.hasPrefix("MCowBQYDK2VwAyEA"))
        #expect(try webarc("key", "show", "publisher.key", "--pem").output == Data(folder.read("publisher.pub")))
        let again = try webarc("key", "create", "publisher.key")
        #expect(again.status == 73 && again.errorText.contains("already exists"))
    }

    @Test func aSignedArchiveIsVerified() throws {
        try pack()
        let result = try webarc("verify", "s.webarc", "--key", "publisher.pub")
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
        #expect(result.text.contains("edition 1750000000 of docs.example"))
        // The message names no line of a library's source.
        try folder.write("other.txt", "no key".utf8)
        #expect(
            try webarc("key", "show", "other.txt").errorText
                == "webarc: other.txt: not a public key in PEM form; give a .pub file of webarc key create\n")
        let key = try webarc("key", "show", "publisher.pub").lines[0]
        #expect(result.text.contains(key))
        #expect(try webarc("verify", "s.webarc", "--key", key).status == 0)
        #expect(try webarc("key", "create", "other.key").status == 0)
        let other = try webarc("verify", "s.webarc", "--key", "other.pub")
        #expect(other.status == 1 && other.errorText.contains("the archive is not signed by the trusted keys"))
        #expect(try webarc("verify", "s.webarc").status == 0)
    }

    @Test func bytesThatKeepTheirCRCAreFound() throws {
        try pack()
        try tamper(withPage: "other")
        let result = try webarc("verify", "s.webarc", "--key", "publisher.pub")
        #expect(result.status == 1 && result.text.contains("does not match the signature"), "\(result.text)")
        let cat = try webarc("cat", "s.webarc", "https://docs.example/other.html", "--require-key", "publisher.pub")
        #expect(cat.status == 1 && cat.output.isEmpty)
        let whole = try webarc("cat", "s.webarc", "https://docs.example/", "--require-key", "publisher.pub")
        #expect(whole.status == 0 && whole.output.count > 300_000)
        let unpacked = try webarc("unpack", "s.webarc", "-C", "out", "--require-key", "publisher.pub")
        #expect(unpacked.status == 1)
        #expect(FileManager.default.fileExists(atPath: folder.path("out/index.html").string))
        #expect(!FileManager.default.fileExists(atPath: folder.path("out/other.html").string))
    }

    @Test func anArchiveIsSignedLaterAndAgain() throws {
        #expect(try webarc("pack", "site", "-o", "s.webarc", "--base-url", "https://docs.example/").status == 0)
        #expect(try webarc("sign", "s.webarc", "--key", "publisher.key", "--sequence", "7").status == 0)
        #expect(try webarc("key", "create", "second.key").status == 0)
        let once = try folder.read("s.webarc")
        let again = try webarc("sign", "s.webarc", "--key", "publisher.key", "--json")
        #expect(try folder.read("s.webarc") == once, "a second signature of the same key says nothing new")
        #expect(try again.objects.first?["sequence"] as? Int == 7, "the same edition keeps its number: \(again.text)")
        let second = try webarc("sign", "s.webarc", "--key", "second.key", "--json")
        #expect(second.status == 0, "\(second.errorText)")
        #expect(try second.objects.first?["series"] as? String == "docs.example")
        #expect(try second.objects.first?["sequence"] as? Int == 7, "a second signer joins the edition: \(second.text)")
        let signed = try folder.read("s.webarc")
        #expect(try webarc("sign", "s.webarc", "--key", "publisher.key").status == 0)
        #expect(try folder.read("s.webarc") == signed)
        let both = try webarc(
            "verify", "s.webarc", "--key", "publisher.pub", "--key", "second.pub", "--signatures", "2")
        #expect(both.status == 0, "\(both.errorText)")
        #expect(try webarc("pack", "site", "-o", "s.webarc", "--append").status == 0)
    }

    /// A stranger could name the highest number, and nobody could sign a later edition.
    @Test func aNumberOfTheFutureIsNotJoined() throws {
        try pack("--sequence", "9999999999")
        #expect(try webarc("key", "create", "second.key").status == 0)
        let careless = try webarc("sign", "s.webarc", "--key", "second.key")
        #expect(
            careless.status == 64
                && careless.errorText.contains("edition 9999999999 of docs.example; give --series and --sequence"))
        let explicit = try webarc(
            "sign", "s.webarc", "--key", "second.key", "--series", "docs.example", "--sequence", "9999999999")
        #expect(explicit.status == 0, "\(explicit.errorText)")
    }

    @Test func aSeriesOfNoSiteIsWarnedOf() throws {
        let careless = try webarc("pack", "site", "-o", "s.webarc", "--sign", "publisher.key")
        #expect(careless.status == 0 && careless.errorText.contains("the series of the signature is localhost"))
        for options in [["--base-url", "https://docs.example/"], ["--series", "docs"]] {
            let named = try WebarcTool.run(
                ["pack", "site", "-o", "s.webarc", "--sign", "publisher.key"] + options, in: folder.url)
            #expect(named.status == 0 && !named.errorText.contains("localhost"))
        }
        #expect(try webarc("pack", "site", "-o", "s.webarc").status == 0)
        let signed = try webarc("sign", "s.webarc", "--key", "publisher.key")
        #expect(signed.status == 0 && signed.errorText.contains("the series of the signature is localhost"))
    }

    @Test func whatIsAppendedWithoutTheKeyIsToldAndLeftOut() throws {
        try pack()
        try folder.write("site/new.html", "<title>new</title>".utf8)
        let appended = try webarc("pack", "site", "-o", "s.webarc", "--append")
        #expect(appended.status == 0 && appended.errorText.contains("sign it with webarc sign"))
        let verified = try webarc("verify", "s.webarc", "--key", "publisher.pub")
        #expect(verified.status == 0 && verified.text.contains("1 commit is not signed by the trusted keys"))
        let url = "https://docs.example/new.html"
        #expect(try webarc("cat", "s.webarc", url, "--require-key", "publisher.pub").status == 1)
        #expect(try webarc("sign", "s.webarc", "--key", "publisher.key", epoch: 1_760_000_000).status == 0)
        #expect(try webarc("cat", "s.webarc", url, "--require-key", "publisher.pub").text == "<title>new</title>")
        #expect(
            try webarc("verify", "s.webarc", "--key", "publisher.pub").text.contains(
                "edition 1760000000 of docs.example"))
    }

    @Test func aNewKeyThatTheOldOneEndorses() throws {
        #expect(try webarc("key", "create", "new.key").status == 0)
        #expect(try webarc("key", "endorse", "new.pub", "--key", "publisher.key", "-o", "new.endorsement").status == 0)
        let packed = try webarc(
            "pack", "site", "-o", "s.webarc", "--sign", "new.key", "--endorsement", "new.endorsement")
        #expect(packed.status == 0, "\(packed.errorText)")
        #expect(try webarc("verify", "s.webarc", "--key", "publisher.pub").status == 0)
        #expect(try webarc("verify", "s.webarc", "--key", "new.pub").status == 0)
    }

    /// The secret key comes from another program, which decrypts it.
    @Test func anEncryptedKeyThroughAPipe() throws {
        let script = """
            openssl pkey -in publisher.key -aes256 -passout pass:secret -out encrypted.pem &&
            openssl pkey -in encrypted.pem -passin pass:secret | '\(WebarcTool.path)' sign s.webarc --key -
            """
        #expect(try webarc("pack", "site", "-o", "s.webarc").status == 0)
        let result = try ExternalTool.run(["sh", "-c", script], in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try webarc("verify", "s.webarc", "--key", "publisher.pub").status == 0)
        let encrypted = try webarc("sign", "s.webarc", "--key", "encrypted.pem")
        #expect(encrypted.status == 64 && encrypted.errorText.contains("openssl pkey"))
    }

    /// The program that decrypts the key may ask for a passphrase first.
    @Test(.timeLimit(.minutes(1))) func aSlowWriterOfAPipeIsWaitedFor() throws {
        #expect(try webarc("pack", "site", "-o", "s.webarc", "--base-url", "https://docs.example/").status == 0)
        let pipe = folder.path("pipe")
        try #require(mkfifo(pipe.string, 0o600) == 0)
        // The pipe has a writer from the beginning, and the program does not inherit it.
        let writer = try FileDescriptor.open(pipe, .readWrite, options: .closeOnExec)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.currentDirectoryURL = folder.url
        process.arguments = ["-c", "exec '\(WebarcTool.path)' sign s.webarc --key - <pipe"]
        try process.run()
        let key = try folder.read("publisher.key")
        for part in [key.prefix(40), key.dropFirst(40)] {
            try writer.writeAll(part)
            // Until the reader waits for more.
            var unread: Int32 = 1
            while unread > 0, process.isRunning {
                try #require(ioctl(writer.rawValue, UInt(FIONREAD), &unread) == 0)
            }
        }
        try writer.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try webarc("verify", "s.webarc", "--key", "publisher.pub").status == 0)
    }

    @Test func existingDocumentsAreNotReplaced() throws {
        try folder.write("there", "there".utf8)
        for arguments in [
            ["key", "endorse", "publisher.pub", "--key", "publisher.key"], ["key", "revoke", "publisher.key"],
        ] {
            let result = try WebarcTool.run(arguments + ["-o", "there"], in: folder.url)
            #expect(result.status == 73 && !result.errorText.contains("--force"), "\(result.errorText)")
        }
    }

    @Test func aLineOfAKeyThatIsCutShortIsNoFile() throws {
        try pack()
        let line = try webarc("key", "show", "publisher.pub").lines[0].dropLast(9)
        let result = try webarc("verify", "s.webarc", "--key", String(line))
        #expect(result.status == 64 && result.errorText.contains("not a whole key"), "\(result.errorText)")
    }

    /// A copy of a key, and one of another program.
    @Test func aSecretKeyInTheFolderIsWarnedOf() throws {
        try folder.write("site/copy.txt", folder.read("publisher.key"))
        let made = try ExternalTool.run(
            ["openssl", "genpkey", "-algorithm", "rsa", "-out", "site/rsa.txt"], in: folder.url)
        try #require(made.status == 0)
        try folder.write("site/public.txt", folder.read("publisher.pub"))
        let result = try webarc(
            "pack", "site", "-o", "s.webarc", "--base-url", "https://docs.example/", "--sign", "publisher.key")
        let lines = result.errorText.split(separator: "\n").filter { $0.contains("a secret key is packed") }
        #expect(result.status == 0 && lines.count == 2, "\(result.errorText)")
        #expect(lines.contains { $0.contains("copy.txt") } && lines.contains { $0.contains("rsa.txt") })
    }

    @Test func damageIsNotSigned() throws {
        #expect(try webarc("pack", "site", "-o", "s.webarc").status == 0)
        var bytes = try folder.read("s.webarc")
        bytes[200] ^= 1
        try folder.write("s.webarc", bytes)
        let result = try webarc("sign", "s.webarc", "--key", "publisher.key")
        #expect(result.status == 1 && result.errorText.contains("cannot sign: "))
        #expect(try folder.read("s.webarc") == bytes)
    }

    @Test func compactingTellsThatTheSignatureIsGone() throws {
        try pack()
        let result = try webarc("compact", "s.webarc", "-o", "c.webarc")
        #expect(result.status == 0 && result.errorText.contains("the new one is not; sign it"))
        let before = try folder.read("s.webarc")
        let same = try webarc("compact", "s.webarc")
        #expect(same.status == 0 && !same.errorText.contains("signed"))
        #expect(try folder.read("s.webarc") == before)
    }

    @Test(arguments: [
        ["sign", "s.webarc"], ["pack", "site", "-o", "s.webarc", "--series", "x"],
        ["verify", "s.webarc", "--signatures", "2"],
        ["sign", "s.webarc", "--key", "publisher.key", "--series", ""], ["serve", "s.webarc", "--sequences", "x"],
    ])
    func argumentsThatDoNotFit(_ arguments: [String]) throws {
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == 64, "\(result.errorText)")
        #expect(result.errorText.split(separator: "\n").count == 1)
    }

    // MARK: - Serving

    private func serve(_ arguments: String...) throws -> (tool: RunningTool, port: Int) {
        let tool = try RunningTool(
            [
                WebarcTool.path, "serve", site.string, "--port", "0",
                "--require-key", folder.path("publisher.pub").string,
            ] + arguments, environment: ToolEnvironment.inFolder(folder.url))
        #expect(tool.waitForError("(press Ctrl-C to stop)"))
        let place = try #require(tool.errorText.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#))
        return (tool, try #require(Int(place.1)))
    }

    private func curl(_ url: String) throws -> (status: String, body: String) {
        let result = try ExternalTool.run([
            "curl", "--silent", "--show-error", "--max-time", "60", "-w", "\n%{http_code}", url,
        ])
        let parts = result.output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return (String(decoding: parts.last ?? Data(), as: UTF8.self), result.text)
    }

    @Test func aServerShowsWhatIsSignedAndNothingElse() throws {
        try pack()
        try tamper(withPage: "other")
        let (tool, port) = try serve()
        let whole = try curl("http://127.0.0.1:\(port)/")
        #expect(whole.status == "200")
        let changed = try curl("http://127.0.0.1:\(port)/other.html")
        #expect(changed.status == "500" && changed.body.contains("not what its publisher signed"))
        let metrics = try curl("http://127.0.0.1:\(port)/-/metrics").body
        #expect(metrics.contains("\nwebarc_untrusted_total 1\n"))
        #expect(tool.waitForError("does not match the signature"))
    }

    @Test func aServerRefusesOldEditionsAndUnsignedOnes() throws {
        try pack(epoch: 1_750_000_000)
        #expect(rename(site.string, folder.path("old.webarc").string) == 0)
        try pack(epoch: 1_760_000_000)
        let (tool, port) = try serve()
        #expect(try curl("http://127.0.0.1:\(port)/").status == "200")
        #expect(rename(folder.path("old.webarc").string, site.string) == 0)
        tool.signal(SIGHUP)
        #expect(tool.waitForError("of docs.example is older than the recorded edition"))
        #expect(try webarc("pack", "site", "-o", "s.webarc").status == 0)
        tool.signal(SIGHUP)
        #expect(tool.waitForError("the archive is not signed"))
        #expect(try curl("http://127.0.0.1:\(port)/").status == "200")
        tool.signal(SIGTERM)
        _ = tool.result()
        // After a restart as well, since the record outlives the server.
        try pack(epoch: 1_750_000_000)
        let again = try webarc("serve", "s.webarc", "--port", "0", "--require-key", "publisher.pub")
        #expect(
            again.status == 1 && again.errorText.contains("of docs.example is older than the recorded edition"),
            "\(again.errorText)")
    }
}
