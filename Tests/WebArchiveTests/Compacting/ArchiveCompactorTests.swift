// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// Compacting with a filter: what is not to be kept goes, with all that only it needed.
@Suite struct ArchiveCompactorTests {
    private let folder: TemporaryFolder
    private let path: FilePath
    private var random = SeededGenerator.printed()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.webarc")
    }

    private func write(appending: Bool = false, _ work: (ArchiveWriter) throws -> Void) throws {
        let writer = try appending ? ArchiveWriter(appendingTo: path) : ArchiveWriter(creating: path)
        try work(writer)
        try writer.commit()
    }

    private func add(
        _ name: String, _ bytes: [UInt8], to writer: ArchiveWriter, time: Int64 = 1
    ) throws -> ArchiveWriter.EntryReference {
        try writer.add(
            ArchiveRequest(url: "http://a/\(name)"), response: ArchiveResponse(headers: ["Content-Type": "text/plain"]),
            body: writer.addBody(bytes), time: ArchiveTime(seconds: time))
    }

    /// The new file has the rights of the archive that was opened first.
    @Test func anArchiveThatWasExchangedIsNotCompacted() throws {
        try write { _ = try add("page", [1], to: $0) }
        let before = StoredArchive(try ArchiveReader(path: path))
        let other = folder.path("private.webarc")
        let writer = try ArchiveWriter(creating: other)
        _ = try add("secret", [2], to: writer)
        try writer.commit()
        #expect(rename(other.string, path.string) == 0)
        let target = folder.path("target.webarc")
        #expect(archiveError { _ = try ArchiveCompactor(path, into: target).compact(before) }?.code == .changed)
        #expect(FileStatus(of: target) == nil)
    }

    /// A file that fewer users may read now.
    @Test func anArchiveWithOtherRightsIsNotCompacted() throws {
        try write { _ = try add("page", [1], to: $0) }
        let before = StoredArchive(try ArchiveReader(path: path))
        #expect(chmod(path.string, 0o600) == 0)
        let target = folder.path("target.webarc")
        #expect(archiveError { _ = try ArchiveCompactor(path, into: target).compact(before) }?.code == .changed)
        #expect(FileStatus(of: target) == nil)
    }

    /// Names are bytes: two that Unicode takes for the same are two.
    @Test func metadataIsCopiedByteByByte() throws {
        try write { writer in
            try writer.setMetadata("caf\u{E9}", to: "composed")
            try writer.setMetadata("cafe\u{301}", to: "decomposed")
            _ = try add("page", [1], to: writer)
        }
        try write(appending: true) { try $0.setMetadata("title", to: "t") }
        let before = try ArchiveReader(path: path).newestMetadata().map { [$0.nameBytes, $0.text] }
        _ = try ArchiveCompactor(path).run()
        let after = try ArchiveReader(path: path).newestMetadata().map { [$0.nameBytes, $0.text] }
        #expect(before.count == 3 && Set(before) == Set(after))
    }

    /// A reason phrase is any bytes (RFC 9112 section 4), and text only for those who look at it.
    @Test func reasonsAreCopiedByteByByte() throws {
        let reason = Array("Nicht verf".utf8) + [0xFC] + Array("gbar".utf8)
        try write { writer in
            var response = ArchiveResponse(status: 404)
            response.reasonBytes = reason
            try writer.add(ArchiveRequest(url: "http://a/"), response: response)
        }
        try write(appending: true) { _ = try add("page", [1], to: $0) }
        _ = try ArchiveCompactor(path).run()
        let response = try #require(try ArchiveReader(path: path).entry(for: "http://a/")?.response)
        #expect(response.reasonBytes == reason)
        #expect(response.reason == "Nicht verf\u{FFFD}gbar")
    }

    /// It matches its checksum: the archive that it is in must not be replaced by one that has it.
    @Test mutating func aBlockThatCannotBeDecoded() throws {
        let text = random.text(3000)
        try write { _ = try add("page", text, to: $0) }
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        surgeon.set("Block", "length", to: 3001)
        try folder.write("a.webarc", surgeon.bytes)
        try write(appending: true) { _ = try add("whole", [1], to: $0) }
        let before = try folder.read("a.webarc")
        #expect(archiveError { _ = try ArchiveCompactor(path).run() }?.code == .damaged)
        #expect(try folder.read("a.webarc") == before)
        let summary = try ArchiveCompactor(path, into: folder.path("b.webarc")).run()
        #expect(summary.damage.map(\.message).allSatisfy { $0.contains("http://a/page") } && summary.damage.count == 1)
        #expect(try ArchiveReader(path: folder.path("b.webarc")).entry(for: "http://a/whole")?.body?.bytes() == [1])
    }

    /// Another writer may not know a time that a field has, and may keep a response with a `Location` as one.
    @Test func partsOfAnEntryAreCopiedAsTheyAre() throws {
        let fields: HeaderFields = [
            "Date": "Mon, 01 Jan 2035 00:00:00 GMT", "Last-Modified": "Mon, 01 Jan 2001 00:00:00 GMT",
        ]
        func add(_ name: String, _ response: ArchiveResponse, _ text: String, to writer: ArchiveWriter) throws {
            let url = try CanonicalURL("http://a/\(name)")
            _ = try writer.builder.addCopy(
                ArchiveRequest(url: url.description), of: url, requestBody: nil, response: response,
                body: writer.addBody(Array(text.utf8)), time: nil, role: .exchange)
        }
        try write { writer in
            try add("page", ArchiveResponse(headers: fields), "old", to: writer)
            try add("moved", ArchiveResponse(status: 301, headers: ["Location": "/b"]), "a response", to: writer)
        }
        try write(appending: true) { try add("page", ArchiveResponse(), "new", to: $0) }
        let before = try entries()
        _ = try ArchiveCompactor(path).run()
        #expect(try entries() == before)
        let reader = try ArchiveReader(path: path)
        #expect(try reader.entry(for: CanonicalURL("http://a/page"))?.body?.bytes() == Array("new".utf8))
    }

    private func entries() throws -> [EntryParts] {
        var entries: [EntryParts] = []
        try ArchiveReader(path: path).forEachEntry { entry throws(ArchiveError) in
            entries.append(try EntryParts(entry))
            return true
        }
        return entries
    }

    private struct EntryParts: Equatable {
        let (request, response, time, kind, role):
            (ArchiveRequest, ArchiveResponse?, ArchiveTime?, ArchiveEntry.Kind?, ArchiveEntry.Role)
        let body: [UInt8]?

        init(_ entry: ArchiveEntry) throws(ArchiveError) {
            (request, response, time, kind, role) = try (
                entry.request, entry.response, entry.time, entry.kind, entry.role
            )
            body = try entry.body?.bytes()
        }
    }

    /// Adds bodies that share one block.
    private func addGroup(_ bodies: [String: [UInt8]], to writer: ArchiveWriter) throws {
        let all = bodies.sorted { $0.key < $1.key }
        let joined = all.flatMap(\.value)
        let block = try joined.withBytes { (bytes) throws(ArchiveError) in try writer.builder.compressBlock(bytes) }
        var offset = 0
        for (name, bytes) in all {
            let body = try writer.builder.register(
                ContentDigest(hashing: bytes), length: UInt64(bytes.count), block: block, offset: UInt32(offset))
            offset += bytes.count
            try writer.add(ArchiveRequest(url: "http://a/\(name)"), response: ArchiveResponse(), body: body)
        }
    }

    @discardableResult
    private func compact(
        keeping isKept: ((ArchiveEntry) throws(ArchiveError) -> Bool)?
    ) throws -> (summary: ArchiveCompactor.Summary, reader: ArchiveReader) {
        let summary = try ArchiveCompactor(path).run(keeping: isKept)
        let reader = try ArchiveReader(path: path)
        #expect(ArchiveVerifier(reader).run().isEmpty)
        #expect(reader.commitCount == 1 && reader.fileLength == summary.lengthAfter)
        return (summary, reader)
    }

    private func names(_ reader: ArchiveReader) throws -> [String] {
        try reader.entries().map { String(try $0.key.dropFirst(9)) }
    }

    private func bytes(_ name: String, _ reader: ArchiveReader) throws -> [UInt8]? {
        try reader.entry(for: "http://a/\(name)")?.body?.bytes()
    }

    @Test mutating func halfIsDropped() throws {
        var bodies: [String: [UInt8]] = [:]
        for part in 0..<2 {
            try write(appending: part == 1) { writer in
                for number in 0..<20 {
                    let bytes = random.bytes(Int.random(in: 1000...60_000, using: &random))
                    bodies["\(part)/\(number)"] = bytes
                    _ = try add("\(part)/\(number)", bytes, to: writer)
                }
            }
        }
        let isKept = { (name: String) in "024".contains(name.last ?? " ") }
        let before = try ArchiveReader(path: path).fileLength
        let (summary, reader) = try compact { entry throws(ArchiveError) in isKept(try entry.key) }
        let kept = bodies.filter { isKept($0.key) }
        #expect(try names(reader) == kept.keys.sorted())
        #expect(
            summary.entries == kept.count && summary.droppedEntries == bodies.count - kept.count
                && summary.bodies == kept.count && summary.lengthBefore == before)
        for (name, bytes) in kept { #expect(try self.bytes(name, reader) == bytes, "\(name), seed \(random.seed)") }
        // Random bytes are as long in the file as they are; all that is not theirs is small.
        let content = kept.values.reduce(0) { $0 + $1.count }
        #expect(reader.fileLength < UInt64(content) + 10_000)
    }

    @Test mutating func onlyAFilterTouchesAnArchiveOfOneCommit() throws {
        try write { writer in
            for number in 0..<4 { _ = try add("\(number)", random.bytes(5000), to: writer) }
        }
        let before = try folder.read("a.webarc")
        try compact(keeping: nil)
        #expect(try folder.read("a.webarc") == before)
        let (summary, reader) = try compact { entry throws(ArchiveError) in try entry.key != "http://a/2" }
        #expect(try names(reader) == ["0", "1", "3"] && summary.droppedEntries == 1)
        #expect(reader.fileLength < UInt64(before.count) - 4500)
    }

    @Test mutating func capturesAndRequestBodies() throws {
        let (old, new, question) = (random.bytes(3000), random.bytes(3000), random.bytes(3000))
        try write { writer in
            _ = try add("x", old, to: writer, time: 1)
            _ = try add("x", new, to: writer, time: 2)
            try writer.add(
                ArchiveRequest(method: "POST", url: "http://a/form"), requestBody: writer.addBody(question),
                response: ArchiveResponse(status: 204))
        }
        let limit = try #require(ArchiveTime(seconds: 2))
        let (summary, reader) = try compact { entry throws(ArchiveError) in try entry.time.map { $0 >= limit } ?? true }
        #expect(summary.entries == 2 && summary.bodies == 2)
        #expect(try bytes("x", reader) == new)
        let form = try #require(try reader.entries(prefix: "http://a/form").first)
        #expect(try form.requestBody?.bytes() == question)
    }

    @Test mutating func aliases() throws {
        let (one, two) = (random.bytes(2000), random.bytes(2000))
        try write { writer in
            let first = try add("one/index.html", one, to: writer)
            for name in ["one/", "one"] { try writer.addAlias(CanonicalURL("http://a/\(name)"), of: first) }
            let second = try add("two/index.html", two, to: writer)
            try writer.addAlias(CanonicalURL("http://a/two/"), of: second)
        }
        let dropped = ["http://a/one/index.html", "http://a/two/"]
        let (summary, reader) = try compact { entry throws(ArchiveError) in !dropped.contains(try entry.key) }
        #expect(summary.bodies == 2)
        #expect(try names(reader) == ["one", "one/", "two/index.html"])
        #expect(try bytes("one", reader) == one && bytes("two/index.html", reader) == two)
        let (alias, other) = try (reader.entry(for: "http://a/one"), reader.entry(for: "http://a/one/"))
        #expect(try alias?.role == .alias && other?.role == .alias)
        #expect(try #require(alias).sharesResponse(with: #require(other)))
    }

    @Test mutating func metadataKeepsItsBodies() throws {
        let icon = random.bytes(3000)
        try write { writer in
            _ = try add("page", random.bytes(3000), to: writer)
            try writer.setMetadata("icon", to: writer.addBody(icon))
            try writer.setMetadata("title", to: "All gone")
        }
        let (summary, reader) = try compact { _ in false }
        #expect(summary.entries == 0 && summary.bodies == 1 && reader.entryCount == 0)
        #expect(try reader.metadataBody("icon")?.bytes() == icon && reader.metadata() == ["title": "All gone"])
    }

    @Test(arguments: [["first"], ["second"], ["first", "second"]]) func bodiesOfOneDigest(kept: [String]) throws {
        let bodies = ["first": CollidingPair.first, "second": CollidingPair.second]
        try write { writer in for (name, bytes) in bodies { _ = try add(name, bytes, to: writer) } }
        let (summary, reader) = try compact { entry throws(ArchiveError) in
            kept.contains(String(try entry.key.dropFirst(9)))
        }
        #expect(summary.bodies == kept.count)
        for name in kept { #expect(try bytes(name, reader) == bodies[name]) }
    }

    /// A body that an entry and a dictionary share, next to another body of the same digest.
    @Test(arguments: [true, false]) func theBodyOfADictionaryServesAnEntry(isFiltered: Bool) throws {
        try write { writer in
            let number = try writer.builder.addDictionary(CollidingPair.first, name: Array("d".utf8))
            let prepared = PreparedDictionary(CollidingPair.first, level: .standard)
            let text = CollidingPair.first + CollidingPair.first
            let block = try text.withBytes { (bytes) throws(ArchiveError) in
                try writer.builder.compressBlock(bytes, dictionary: number, prepared)
            }
            let body = try writer.builder.register(
                ContentDigest(hashing: text), length: UInt64(text.count), block: block, offset: 0)
            try writer.add(ArchiveRequest(url: "http://a/text"), response: ArchiveResponse(), body: body)
            _ = try add("second", CollidingPair.second, to: writer)
        }
        try write(appending: true) { writer in _ = try add("first", CollidingPair.first, to: writer) }
        let (_, reader) = try compact(keeping: isFiltered ? { _ in true } : nil)
        #expect(try bytes("first", reader) == CollidingPair.first)
        #expect(try bytes("second", reader) == CollidingPair.second)
        #expect(try bytes("text", reader) == CollidingPair.first + CollidingPair.first)
    }

    // MARK: - Shared blocks

    /// The bodies of one block, in that order.
    private static let group = ["a", "b", "c", "d"]

    @Test(arguments: 0...4) mutating func aBlockStaysWhileHalfOfItIsUsed(kept: Int) throws {
        var bodies: [String: [UInt8]] = [:]
        for name in Self.group { bodies[name] = random.text(4000) }
        try write { writer in
            try addGroup(bodies, to: writer)
            _ = try add("other", random.bytes(4000), to: writer)
        }
        let names = Self.group.suffix(kept)
        let before = try StoredArchive(ArchiveReader(path: path)).storedBytes(0)
        let (_, reader) = try compact { entry throws(ArchiveError) in
            let name = String(try entry.key.dropFirst(9))
            return names.contains(name) || name == "other"
        }
        for name in names { #expect(try bytes(name, reader) == bodies[name], "\(name), seed \(random.seed)") }
        let stored = StoredArchive(reader)
        let blocks = try (0..<stored.blockCount).map { try stored.block($0).length }
        switch kept {
        case 0: #expect(blocks == [4000])
        case 1: #expect(blocks == [4000, 4000])
        default:
            #expect(blocks == [16_000, 4000])
            #expect(try stored.storedBytes(0) == before)
        }
    }

    @Test mutating func whatIsLeftOfManyBlocksSharesBlocksAgain() throws {
        var bodies: [String: [UInt8]] = [:]
        try write { writer in
            for block in 0..<40 {
                let part = Dictionary(uniqueKeysWithValues: (0..<10).map { ("\(block)/\($0)", random.text(6000)) })
                bodies.merge(part) { $1 }
                try addGroup(part, to: writer)
            }
        }
        let (_, reader) = try compact { entry throws(ArchiveError) in try entry.key.hasSuffix("/7") }
        #expect(reader.entryCount == 40 && reader.bodyCount == 40)
        for block in 0..<40 { #expect(try bytes("\(block)/7", reader) == bodies["\(block)/7"]) }
        // Ten bodies of 6,000 bytes go into 64 KiB.
        #expect(StoredArchive(reader).blockCount == 4)
        let again = try folder.read("a.webarc")
        try compact { _ in true }
        #expect(try folder.read("a.webarc") == again)
    }

    @Test mutating func bodiesOfManyBlocks() throws {
        let (kept, dropped) = (random.text(900_000), random.bytes(900_000))
        try write { writer in
            _ = try add("dropped", dropped, to: writer)
            _ = try add("kept", kept, to: writer)
            _ = try add("none", [], to: writer)
        }
        let (summary, reader) = try compact { entry throws(ArchiveError) in try entry.key != "http://a/dropped" }
        #expect(try bytes("kept", reader) == kept && bytes("none", reader) == [])
        #expect(summary.lengthBefore - summary.lengthAfter > 890_000)
    }

    // MARK: - Failures

    @Test mutating func anErrorLeavesTheArchiveAsItWas() throws {
        try write { writer in _ = try add("x", random.bytes(3000), to: writer) }
        let before = try folder.read("a.webarc")
        #expect(throws: ArchiveError.self) {
            try ArchiveCompactor(path).run(keeping: { _ throws(ArchiveError) in throw ArchiveError(.io, "enough") })
        }
        #expect(try folder.read("a.webarc") == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.webarc"])
        try write(appending: true) { writer in _ = try add("y", [1], to: writer) }
    }

    @Test mutating func damageInWhatIsKept() throws {
        try write { writer in try addGroup(["a": random.text(9000), "b": random.text(3000)], to: writer) }
        var bytes = try folder.read("a.webarc")
        bytes[100] ^= 1
        try folder.write("a.webarc", bytes)
        #expect(throws: ArchiveError.self) {
            try ArchiveCompactor(path).run(keeping: { entry throws(ArchiveError) in try entry.key.hasSuffix("b") })
        }
        #expect(try folder.read("a.webarc") == bytes)
        // Removed content need not be intact.
        try ArchiveCompactor(path).run(keeping: { _ in false })
        #expect(try ArchiveReader(path: path).entryCount == 0)
    }

    /// The archive itself under another name is not a place where damaged entries are left out.
    /// A body whose length says more than its blocks have: the second or the last one of three is short.
    @Test(arguments: [[4096, 4000, 4096], [4096, 4096, 4000]]) mutating func blocksThatDoNotAddUp(
        lengths: [Int]
    ) throws {
        try write { writer in
            let blocks = try lengths.map { length in
                try random.bytes(length).withUnsafeBytes {
                    try writer.builder.appendBlock($0, length: length, isCompressed: false, dictionary: 0)
                }
            }
            let body = try writer.builder.register(
                ContentDigest(hashing: [0]), length: 3 * 4096, block: blocks[0], offset: 0)
            _ = try writer.add(ArchiveRequest(url: "http://a/damaged"), response: ArchiveResponse(), body: body)
            _ = try add("whole", [1, 2, 3], to: writer)
        }
        try write(appending: true) { _ = try add("later", [4], to: $0) }
        let before = try folder.read("a.webarc")
        #expect(
            archiveError { _ = try ArchiveCompactor(path).run() }?.message
                == "Body 1: the blocks do not cover the body's length")
        #expect(try folder.read("a.webarc") == before)
        let other = folder.path("other.webarc")
        #expect(try ArchiveCompactor(path, into: other).run().damage.count == 1)
        #expect(try names(ArchiveReader(path: other)) == ["later", "whole"])
    }

    /// A link stays one, and the archive that it leads to is the one that changes.
    @Test(arguments: ["a.webarc", "other", "folder/up"]) mutating func anArchiveBehindALink(target: String) throws {
        try write { writer in _ = try add("page", [1], to: writer) }
        try write(appending: true) { writer in _ = try add("more", [2], to: writer) }
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path("folder").string, withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: folder.path("folder/up").string, withDestinationPath: "../a.webarc")
        try files.createSymbolicLink(atPath: folder.path("other").string, withDestinationPath: path.string)
        let link = folder.path("link")
        try files.createSymbolicLink(atPath: link.string, withDestinationPath: target)
        try ArchiveCompactor(link).run()
        #expect(try ArchiveReader(path: path).commitCount == 1)
        let writer = try ArchiveWriter(creating: link)
        try writer.commit()
        #expect(try ArchiveReader(path: path).entryCount == 0)
        #expect(try files.destinationOfSymbolicLink(atPath: link.string) == target)
    }

    /// Neither is a link followed that leads nowhere.
    @Test func aLinkToNothing() throws {
        let link = folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "nothing")
        try ArchiveWriter(creating: link).commit()
        #expect(try ArchiveReader(path: link).entryCount == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path("nothing").string))
    }

    @Test(arguments: ["./a.webarc", "link", "hard"]) mutating func anArchiveByAnotherOfItsNames(name: String) throws {
        try write { writer in
            _ = try add("whole", random.bytes(3000), to: writer)
            let bytes = random.bytes(3000)
            _ = try writer.add(
                ArchiveRequest(url: "http://a/damaged"), response: ArchiveResponse(), body: writer.addBody(bytes))
        }
        try write(appending: true) { writer in _ = try add("more", [1], to: writer) }
        let body = try #require(try ArchiveReader(path: path).entry(for: "http://a/damaged")?.body)
        var bytes = try folder.read("a.webarc")
        bytes[Int(try #require(try body.rawExtent()).offset)] ^= 1
        try folder.write("a.webarc", bytes)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link").string, withDestinationPath: "a.webarc")
        try FileManager.default.linkItem(atPath: path.string, toPath: folder.path("hard").string)
        #expect(throws: ArchiveError.self) { try ArchiveCompactor(path, into: folder.path(name)).run() }
        #expect(try folder.read("a.webarc") == bytes)
        #expect(try folder.read("hard") == bytes)
    }
}
