// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Archives that the writer signed, proved by the second reader and by OpenSSL.
@Suite struct SignedArchiveTests {
    private let folder: TemporaryFolder
    private let path: FilePath
    private let alice = ArchiveSigningKey(), bob = ArchiveSigningKey()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.webarc")
    }

    private func options(_ keys: [ArchiveSigningKey], _ sequence: UInt64 = 1) -> ArchiveWriter.Options {
        ArchiveWriter.Options(blockExponent: 12, signing: ArchiveSigning(keys, series: "site", sequence: sequence))
    }

    /// Adds pages of several blocks, and of blocks that they share.
    private func addPages(_ writer: ArchiveWriter, _ name: String, count: Int = 300) throws {
        var random = SeededGenerator.printed()
        for number in 0..<count {
            let body = try writer.addBody(random.bytes(number % 50 == 0 ? 20_000 : 100))
            try writer.add(
                ArchiveRequest(url: "https://site.example/\(name)/\(number)"), response: ArchiveResponse(), body: body)
        }
        try writer.commit()
    }

    /// The findings of the second reader when it is given keys; nil if the archive is not signed by them.
    private func findings(_ keys: [ArchiveSigningKey], threshold: Int = 1) throws -> [String]? {
        let script = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path
        let options = keys.flatMap { ["--key", $0.publicKey.bytes.hexadecimal] }
        let result = try Python.run([script, "verify", path.string, "--threshold", "\(threshold)"] + options)
        let lines = result.text.split(separator: "\n").map(String.init)
        return lines.contains { $0.contains("\"untrusted\"") } ? nil : lines
    }

    /// The same by the library, which says it by errors.
    private func isSound(_ keys: [ArchiveSigningKey], threshold: Int = 1) throws -> Bool {
        let trust = ArchiveTrust(Set(keys.map(\.publicKey)), threshold: threshold)
        guard let archive = try? ArchiveReader(path: path, trust: trust) else { return false }
        return ArchiveVerifier(archive, threads: 2).run().allSatisfy { $0.severity == .warning }
    }

    @Test func aNewArchive() throws {
        try addPages(ArchiveWriter(creating: path, options: options([alice])), "new")
        #expect(try findings([alice]) == [])
        #expect(try isSound([alice]))
        #expect(try findings([bob]) == nil)
        #expect(try !isSound([bob]))
        let plain = try ArchiveReader(path: path)
        #expect(plain.statement == nil)
        #expect(ArchiveVerifier(plain).run().isEmpty)
    }

    @Test func anArchiveWithoutEntries() throws {
        try ArchiveWriter(creating: path, options: options([alice])).commit()
        #expect(try findings([alice]) == [])
        #expect(try isSound([alice]))
    }

    @Test func commitsThatWereThereBefore() throws {
        for name in ["one", "two"] {
            let writer =
                try name == "one"
                ? ArchiveWriter(creating: path, options: ArchiveWriter.Options(blockExponent: 12))
                : ArchiveWriter(appendingTo: path)
            try addPages(writer, name, count: 20)
        }
        try ArchiveWriter(appendingTo: path, options: options([alice])).commit()
        #expect(try findings([alice]) == [])
        #expect(try isSound([alice]))
        #expect(try ArchiveReader(path: path, trust: ArchiveTrust([alice.publicKey])).entryCount == 40)
    }

    @Test func whatIsAppendedWithoutAKeyIsNotRead() throws {
        try addPages(ArchiveWriter(creating: path, options: options([alice])), "one", count: 3)
        try addPages(ArchiveWriter(appendingTo: path), "two", count: 3)
        let archive = try ArchiveReader(path: path, trust: ArchiveTrust([alice.publicKey]))
        #expect(archive.untrustedCommitCount == 1)
        #expect(archive.entryCount == 3)
        #expect(try archive.entry(for: "https://site.example/two/0") == nil)
        #expect(try findings([alice])?.count == 1)
        #expect(ArchiveVerifier(archive).run().map(\.code) == [.untrustedCommits])
        try addPages(ArchiveWriter(appendingTo: path, options: options([alice], 2)), "three", count: 3)
        #expect(try findings([alice]) == [])
        let later = try ArchiveReader(path: path, trust: ArchiveTrust([alice.publicKey]))
        #expect(later.entryCount == 9)
        #expect(later.statement?.sequence == 2)
    }

    @Test func anArchiveThatChangedAfterItWasExamined() throws {
        try addPages(ArchiveWriter(creating: path, options: ArchiveWriter.Options(blockExponent: 12)), "one", count: 3)
        var options = options([alice])
        options.examined = try ArchiveReader(path: path)
        try addPages(ArchiveWriter(appendingTo: path), "two", count: 3)
        #expect(throws: ArchiveError(.changed, "")) { try ArchiveWriter(appendingTo: path, options: options) }
        options.examined = try ArchiveReader(path: path)
        try ArchiveWriter(appendingTo: path, options: options).commit()
        #expect(try isSound([alice]))
    }

    @Test func aSecondSignerLater() throws {
        try addPages(ArchiveWriter(creating: path, options: options([alice])), "one", count: 3)
        #expect(try !isSound([alice, bob], threshold: 2))
        try ArchiveWriter(appendingTo: path, options: options([bob])).commit()
        #expect(try isSound([alice, bob], threshold: 2))
        #expect(try findings([alice, bob], threshold: 2) == [])
        let archive = try ArchiveReader(
            path: path, trust: ArchiveTrust([alice.publicKey, bob.publicKey], threshold: 2))
        #expect(archive.untrustedCommitCount == 0)
        #expect(Set(archive.statement?.signers ?? []) == [alice.publicKey, bob.publicKey])
    }

    @Test func aNewKeyThatTheOldOneEndorses() throws {
        var options = options([bob])
        options.signing?.endorsements = [try alice.endorse(bob.publicKey)]
        try addPages(ArchiveWriter(creating: path, options: options), "one", count: 3)
        #expect(try findings([alice]) == [])
        #expect(try isSound([alice]))
    }

    /// The signature is one of the 152 bytes of the statement, as the specification says.
    @Test func openSSLChecksTheSignature() throws {
        try ArchiveWriter(creating: path, options: options([alice])).commit()
        let bytes = try folder.read("a.webarc")
        let start = try #require(bytes.indices.last { bytes[$0...].starts(with: "webarc statement".utf8) })
        let key = try folder.write("key.pem", alice.publicKey.pem.utf8)
        let message = try folder.write("message", bytes[start..<start + 152])
        let signature = try folder.write("signature", bytes[start + 184..<start + 248])
        let result = try ExternalTool.run([
            "openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key.string, "-rawin", "-in", message.string,
            "-sigfile",
            signature.string,
        ])
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
        #expect(bytes[start + 152..<start + 184].elementsEqual(alice.publicKey.bytes))
    }

    @Test func theSameInputGivesTheSameBytes() throws {
        for name in ["a.webarc", "b.webarc"] {
            let writer = try ArchiveWriter(creating: folder.path(name), options: options([alice]))
            try writer.add(ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse())
            try writer.commit()
        }
        #expect(try folder.read("a.webarc") == folder.read("b.webarc"))
    }

    @Test(arguments: ["", String(repeating: "ü", count: 33), "a\u{0}b"])
    func seriesThatCannotBeWritten(_ series: String) throws {
        let signing = ArchiveSigning([alice], series: series, sequence: 1)
        let writer = try ArchiveWriter(creating: path, options: ArchiveWriter.Options(signing: signing))
        #expect(throws: ArchiveError(.invalidArgument, "")) { try writer.commit() }
        #expect(!FileManager.default.fileExists(atPath: path.string))
    }

    @Test(arguments: [0, 17])
    func numbersOfKeysThatCannotSign(_ count: Int) throws {
        let keys = (0..<count).map { _ in ArchiveSigningKey() }
        let writer = try ArchiveWriter(creating: path, options: options(keys))
        #expect(throws: ArchiveError(.invalidArgument, "")) { try writer.commit() }
    }
}
