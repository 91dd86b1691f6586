// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// `release` and `update`, from a folder and over HTTP.
@Suite struct UpdateCommandTests {
    private let folder: TemporaryFolder
    private let server: HTTPTestServer

    /// Three editions in a folder, of which a device has the first.
    init() throws {
        (folder, server) = (try TemporaryFolder(), try HTTPTestServer())
        var random = SeededGenerator(seed: 15)
        let pages = (0..<40).map { _ in random.bytes(5_000).map { 0x20 + $0 % 64 } }
        #expect(try webarc("key", "create", "k").status == 0)
        for edition in 1...3 {
            for (number, page) in pages.enumerated() {
                try folder.write(
                    "site/\(number == 0 ? "index" : "\(number)").html",
                    Array("<title>Edition \(edition)</title>".utf8) + page)
            }
            for arguments in [
                [
                    "pack", "site", "-o", "\(edition).webarc", "--base-url", "https://docs.example/", "--sign", "k",
                    "--sequence", "\(edition)",
                ],
                ["release", "releases", "\(edition).webarc", "--sign", "k"],
            ] {
                let result = try WebarcTool.run(arguments, in: folder.url)
                try #require(result.status == 0, "\(result.errorText)")
            }
        }
        try folder.write("site.webarc", folder.read("1.webarc"))
    }

    private func webarc(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(arguments, in: folder.url)
    }

    /// Serves the folder; `ranges` states whether the host supports them.
    private func serve(ranges: Bool) throws {
        let releases = folder.url.appendingPathComponent("releases")
        for name in try FileManager.default.contentsOfDirectory(atPath: releases.path) {
            let bytes = try Data(contentsOf: releases.appendingPathComponent(name))
            server.on("/site/" + name) { request in
                guard ranges, let range = request.fields.values(named: "Range").first, range.hasPrefix("bytes="),
                    let start = Int(range.dropFirst(6).dropLast())
                else { return .bytes(bytes) }
                return HTTPTestResponse(
                    206, ["Content-Range": "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"],
                    body: HTTPTestBody(Array(bytes[start...])))
            }
        }
    }

    /// Updates while the connection breaks in the middle of a file.
    private func loadHalf(of name: String, _ content: [UInt8]) throws {
        var cut = HTTPTestResponse.bytes(content)
        cut.cut = .reset(after: content.count / 2)
        server["/site/" + name] = cut
        #expect(try update("--from", server.url("/site/").absoluteString).status == 74)
    }

    private func update(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(["update", "site.webarc", "--key", "k.pub"] + arguments, in: folder.url)
    }

    @Test func aFolderGivesTheNewestEditionByAPatch() throws {
        let result = try update("--from", "releases", "--json")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.text.contains("\"patches\": 1") && result.text.contains("\"sequence\": 3"))
        #expect(try folder.read("site.webarc") == folder.read("3.webarc"))
        #expect(try update("--from", "releases", "--json").text.contains("\"updated\": false"))
        let back = try update("--back")
        #expect(back.status == 0 && back.errorText.contains("edition 3 will not be reinstalled"), "\(back.errorText)")
        #expect(try folder.read("site.webarc") == folder.read("1.webarc"))
        let stays = try update("--from", "releases", "--json")
        #expect(stays.text.contains("\"rejected\": 3"), "\(stays.errorText)")
        #expect(try folder.read("site.webarc") == folder.read("1.webarc"))
    }

    /// A log has a line for each edition that came, and none for a look.
    @Test func aChangeIsToldAlsoWithoutATerminal() throws {
        #expect(try update("--from", "releases").errorText.contains("edition 1 became 3"))
        #expect(try update("--from", "releases").errorText.isEmpty)
        #expect(try update("--back", "--quiet").errorText.isEmpty)
    }

    @Test func aRevokedKeyCountsNoMore() throws {
        #expect(try webarc("key", "create", "new").status == 0)
        #expect(try webarc("key", "revoke", "k", "-o", "k.revocation").status == 0)
        let pack = ["pack", "site", "-o", "4.webarc", "--base-url", "https://docs.example/", "--sequence", "4"]
        #expect(try WebarcTool.run(pack + ["--sign", "new"], in: folder.url).status == 0)
        let refused = try webarc("release", "releases", "4.webarc", "--sign", "k", "--revocation", "k.revocation")
        #expect(refused.status == 64)
        let released = try webarc("release", "releases", "4.webarc", "--sign", "new", "--revocation", "k.revocation")
        #expect(released.status == 0, "\(released.errorText)")

        let stays = try update("--from", "releases", "--sequences", "seen")
        #expect(stays.status == 1 && stays.errorText.contains("revoked"))
        #expect(try folder.read("site.webarc") == folder.read("1.webarc"))
        let goes = try update("--from", "releases", "--sequences", "seen", "--key", "new.pub")
        #expect(goes.status == 0, "\(goes.errorText)")
        #expect(try folder.read("site.webarc") == folder.read("4.webarc"))
        #expect(try update("--back", "--sequences", "seen", "--key", "new.pub").status == 1)
    }

    /// OpenSSL finds the signature right.
    @Test func aRevocationIsSignedByItsKey() throws {
        let script = """
            '\(WebarcTool.path)' key revoke k | grep -v -e - | base64 -d > r
            openssl pkey -pubin -in k.pub -outform DER | tail -c 32 > key && head -c 32 r | cmp - key &&
            (printf 'webarc revocation' && cat key) > message && tail -c 64 r > signature &&
            openssl pkeyutl -verify -pubin -inkey k.pub -rawin -in message -sigfile signature
            """
        let result = try ExternalTool.run(["sh", "-c", script], in: folder.url)
        #expect(result.status == 0, "\(result.text) \(result.errorText)")
    }

    @Test func aHostGivesThePatchAlone() throws {
        try serve(ranges: true)
        let result = try update("--from", server.url("/site").absoluteString)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try folder.read("site.webarc") == folder.read("3.webarc"))
        #expect(server.requests.count == 2)
    }

    /// An interrupted load continues, whether the host supports ranges or not.
    @Test(arguments: [true, false])
    func aLoadGoesOn(_ ranges: Bool) throws {
        try FileManager.default.removeItem(atPath: folder.path("site.webarc").string)
        try serve(ranges: ranges)
        let whole = try folder.read("3.webarc")
        try loadHalf(of: "docs.example-3.webarc", whole)
        try serve(ranges: ranges)
        #expect(try update("--from", server.url("/site/").absoluteString).status == 0)
        #expect(try folder.read("site.webarc") == whole)
    }

    @Test(arguments: [
        ("/nothing", 1, "does not exist on the host"), ("/login", 1, "not a list of updates"),
        ("/broken", 74, "status 500"),
        ("/endless", 1, "exceeds 1048576 bytes"), ("/loop", 74, "redirects"),
    ])
    func aHostThatHasNoReleases(_ path: String, _ status: Int32, _ text: String) throws {
        server["/login/updates.json"] = .html("<title>Log in</title>")
        server["/broken/updates.json"] = .status(500)
        server["/endless/updates.json"] = .generated(5 << 20)
        server["/loop/updates.json"] = .redirect(to: "/loop/updates.json")
        let before = try folder.read("site.webarc")
        let result = try update("--from", server.url(path).absoluteString)
        #expect(result.status == status && result.errorText.contains(text), "\(result.status) \(result.errorText)")
        #expect(try folder.read("site.webarc") == before)
    }

    // MARK: - Moments

    private func traced(_ options: [String], _ arguments: String...) throws -> ExternalTool.Result {
        let tracer = ["strace", "-f", "-qqq", "-o", folder.path("calls.strace").string] + options
        return try ExternalTool.run(
            tracer + [WebarcTool.path, "update", "site.webarc", "--key", "k.pub"] + arguments, in: folder.url)
    }

    /// Edition 3 with edition 1 to go back to.
    private func install() throws {
        try folder.write("site.webarc", folder.read("3.webarc"))
        try folder.write("site.webarc.previous", folder.read("1.webarc"))
    }

    @Test(.enabled(if: SystemCallTrace.isAvailable), arguments: 1...2)
    func aKillOnTheWayBackKeepsTheEditionToGoBackTo(_ number: Int) throws {
        try install()
        let renames = "?rename,?renameat,?renameat2"
        let kill = "inject=\(renames):signal=SIGKILL:when=\(number)"
        #expect(try traced(["-e", "trace=\(renames)", "-e", kill], "--back").status != 0)
        let good = try folder.read("1.webarc")
        #expect(try folder.read("site.webarc") == good || folder.read("site.webarc.previous") == good)
        #expect(try update("--back").status == 0)
        #expect(try folder.read("site.webarc") == good)
    }

    /// Two patches one after another, killed before the last step gets the archive's name.
    @Test(.enabled(if: SystemCallTrace.isAvailable)) func aStepIsRemovedWhenTheNextOneIsThere() throws {
        for edition in 1...3 {
            #expect(try webarc("release", "chain", "\(edition).webarc", "--sign", "k", "--keep", "2").status == 0)
        }
        let renames = "?rename,?renameat,?renameat2"
        let kill = "inject=\(renames):signal=SIGKILL:when=3"
        #expect(try traced(["-e", "trace=\(renames)", "-e", kill], "--from", "chain").status != 0)
        let downloads = try FileManager.default.contentsOfDirectory(atPath: folder.path("site.webarc.update").string)
        #expect(downloads.filter { $0.hasPrefix("step") } == ["step-1.webarc"])
    }

    /// The folder is synchronised after the file got its name, which takes a while on some disks.
    @Test(.enabled(if: SystemCallTrace.isAvailable))
    func aSignalAfterTheFileGotItsNameEndsNothing() throws {
        try install()
        let good = try folder.read("1.webarc")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.environment = ToolEnvironment.inFolder(folder.url)
        // With -D the process is the program's own, and the tracer is its child.
        process.arguments =
            ["strace", "-D", "-f", "-qqq", "-o", "/dev/null", "-e", "trace=fsync"]
            + ["-e", "inject=fsync:delay_enter=3000000:when=2", WebarcTool.path]
            + ["update", "site.webarc", "--back", "--key", "k.pub"]
        try process.run()
        #expect(waits { !process.isRunning || (try? folder.read("site.webarc")) == good })
        #expect(process.isRunning, "it was done before the signal came")
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(try folder.read("site.webarc") == good)
    }

    @Test(.enabled(if: SystemCallTrace.isAvailable))
    func aFullDiskIsNotTheFaultOfTheHost() throws {
        try serve(ranges: true)
        let patch = try folder.read("releases/docs.example-3-from-1.webarcpatch")
        try loadHalf(of: "docs.example-3-from-1.webarcpatch", patch)
        let downloads = folder.path("site.webarc.update").string
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: downloads).first)
        try serve(ranges: true)
        let result = try traced(
            ["-P", "\(downloads)/\(file)", "-e", "trace=write", "-e", "inject=write:error=ENOSPC"],
            "--from", server.url("/site").absoluteString)
        #expect(result.status == 74)
        #expect(result.errorText.contains("cannot write the loaded data: No space left"), "\(result.errorText)")
    }

    @Test(arguments: [
        (["update", "site.webarc", "--from", "releases"], 64, "--key"),
        (["update", "site.webarc", "--key", "k.pub"], 64, "--from"),
        (["update", "site.webarc", "--key", "k.pub", "--from", "nosuch"], 74, "release folder does not exist"),
        (["update", "site.webarc", "--key", "k.pub", "--from", "site"], 1, "no updates.json"),
        (["update", "site.webarc", "--key", "nosuch", "--from", "releases"], 74, "nosuch"),
        (["update", "site.webarc", "--key", "k", "--from", "releases"], 0, "secret key"),
        (
            ["update", "site.webarc", "--key", "k.pub", "--from", "http://127.0.0.1:1/"], 74,
            "cannot connect: Connection refused\n"
        ),
        (
            ["update", "site.webarc", "--key", "k.pub", "--from", "http://nosuch.invalid/"], 74,
            "no address found for nosuch.invalid"
        ),
        (
            ["kiosk", "site.webarc", "--updates", "x", "--key", "k.pub", "--update-hours", "2-5"], 64,
            "takes times such as"
        ),
        (["release", "releases", "1.webarc", "--sign", "k"], 73, "higher --sequence"),
        (["release", "releases", "3.webarc", "--sign", "k.pub"], 64, "give the secret key, k"),
        (["release", "releases", "3.webarc"], 64, "--sign"),
    ])
    func errors(_ arguments: [String], _ status: Int32, _ text: String) throws {
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == status && result.errorText.contains(text), "\(result.status) \(result.errorText)")
    }

    @Test func aReleaseTellsWhenItsListExpires() throws {
        let renewed = try webarc("release", "releases", "3.webarc", "--sign", "k", "--expires", "90d", "--json")
        #expect(renewed.status == 0 && renewed.text.contains("\"renewed\": true"), "\(renewed.errorText)")
        let expires = try #require(renewed.objects.first?["expires"] as? String)
        let date = try #require(try? Date(expires, strategy: .iso8601))
        #expect(abs(date.timeIntervalSinceNow - 90 * 86_400) < 3_600)
    }

    @Test func aReleaseTellsOfASoonExpiryWithoutATerminal() throws {
        let soon = try webarc("release", "releases", "3.webarc", "--sign", "k", "--expires", "90")
        #expect(soon.status == 0 && soon.errorText.contains("--expires is 90 seconds"), "\(soon.errorText)")
        #expect(soon.errorText.contains("releases: the list expires 2"))
        let later = try webarc("release", "releases", "3.webarc", "--sign", "k", "--expires", "90d")
        #expect(!later.errorText.contains("--expires"))
        let never = try webarc("release", "releases", "3.webarc", "--sign", "k", "--expires", "never")
        #expect(never.errorText.isEmpty)
    }

    @Test func anExpiredListNamesTheOption() throws {
        #expect(try webarc("release", "releases", "3.webarc", "--sign", "k", "--expires", "0").status == 0)
        let refused = try update("--from", "releases")
        #expect(refused.status == 1, "\(refused.errorText)")
        #expect(refused.errorText.contains("webarc update --allow-expired"), "\(refused.errorText)")
        #expect(try update("--from", "releases", "--allow-expired").status == 0)
    }

    @Test func aListOfOtherKeysIsNotReplaced() throws {
        #expect(try webarc("key", "create", "new").status == 0)
        let pack = ["pack", "site", "-o", "4.webarc", "--base-url", "https://docs.example/", "--sequence", "4"]
        #expect(try WebarcTool.run(pack + ["--sign", "new"], in: folder.url).status == 0)
        let other = try webarc("release", "releases", "4.webarc", "--sign", "k")
        #expect(other.status == 1 && other.errorText.contains("sign it with a key that signs the list"))
        let refused = try webarc("release", "releases", "4.webarc", "--sign", "new")
        #expect(refused.status == 1 && refused.errorText.contains("--endorsement"), "\(refused.errorText)")
        #expect(!refused.errorText.contains("--key"))
    }

    @Test func aDamagedEditionIsLoadedAgain() throws {
        var bytes = try folder.read("3.webarc")
        bytes[bytes.count / 2] ^= 1
        try folder.write("site.webarc", bytes)
        let result = try update("--from", "releases", "--verify")
        #expect(result.status == 0 && result.errorText.contains("edition 3 was damaged, and was loaded again"))
        #expect(try folder.read("site.webarc") == folder.read("3.webarc"))
    }

    @Test func aDamagedRecordIsNotToBeRemoved() throws {
        try folder.write("seen", "what\n".utf8)
        let result = try update("--from", "releases", "--sequences", "seen")
        #expect(
            result.status == 1 && result.errorText.contains("restore the file from a backup"), "\(result.errorText)")
        #expect(!result.errorText.contains("remove"))
    }

    @Test func aListThatCannotBeOpenedIsNoArchive() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("odd/updates.json").string, withIntermediateDirectories: true)
        let result = try update("--from", "odd")
        #expect(result.status == 74 && result.errorText.contains("cannot open the list"), "\(result.errorText)")
    }

    /// The copy of the archive waits until it is on disk. On a busy machine that may be over before the test sees it.
    @Test(.enabled(if: SystemCallTrace.isAvailable)) func aReleaseThatIsStoppedSaysSo() throws {
        var (status, text) = (Int32(0), "")
        for attempt in 0..<5 where status == 0 { (status, text) = try stoppedRelease(into: "new-\(attempt)") }
        #expect(status == 130, "\(status) \(text)")
        #expect(text.contains("stopped; the list was not changed"))
    }

    private func stoppedRelease(into name: String) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.environment = ToolEnvironment.inFolder(folder.url)
        // Another test of this process may have the signal ignored, which programs take over.
        process.arguments =
            ["--default-signal=INT", "strace", "-D", "-f", "-qqq", "-o", folder.path("calls.strace").string]
            + ["-e", "trace=fsync", "-e", "inject=fsync:delay_enter=5000000:when=1", WebarcTool.path]
            + ["release", name, "3.webarc", "--sign", "k"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let archive = folder.path("\(name)/docs.example-3.webarc.partial").string
        #expect(waits { !process.isRunning || FileManager.default.fileExists(atPath: archive) })
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (process.terminationStatus, text)
    }

    @Test func goingBackNamesTheRecord() throws {
        try install()
        let back = try update("--back", "--sequences", "seen")
        #expect(back.status == 0 && back.errorText.contains("the record seen permits it"), "\(back.errorText)")
    }

    @Test func anArchiveWithoutAMainPageIsNotReleased() throws {
        try folder.write("empty/notes/readme.txt", Array("text".utf8))
        let packed = try webarc(
            "pack", "empty", "-o", "4.webarc", "--base-url", "https://docs.example/", "--sign", "k", "--sequence", "4")
        try #require(packed.status == 0, "\(packed.errorText)")
        let refused = try webarc("release", "releases", "4.webarc", "--sign", "k")
        #expect(refused.status == 1 && refused.errorText.contains("--force"), "\(refused.errorText)")
        #expect(try webarc("release", "releases", "4.webarc", "--sign", "k", "--force").status == 0)
    }
}
