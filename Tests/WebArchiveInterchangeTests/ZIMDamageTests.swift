// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// ZIM files that are damaged, or that someone made to cost memory, time or the truth.
@Suite struct ZIMDamageTests {
    private let imported = ImportedFiles()
    private var folder: TemporaryFolder { imported.folder }

    @discardableResult
    private func run(_ bytes: [UInt8], isStrict: Bool = false) throws -> ArchiveImporter.Summary {
        var options = ArchiveImporter.Options()
        (options.isStrict, options.usesDictionaries) = (isStrict, false)
        return try ArchiveImporter(into: imported.path, options: options).run([folder.write("x.zim", bytes)])
    }

    private func whole() throws -> [UInt8] {
        _ = try ZIMImportTests.old(folder)("whole.zim")
        return try folder.read("whole.zim")
    }

    private static func number(_ bytes: [UInt8], _ place: Int, _ length: Int = 8) -> Int {
        bytes[place..<place + length].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func set(_ bytes: inout [UInt8], _ place: Int, _ length: Int, _ value: UInt64) {
        for index in 0..<length { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
    }

    /// Imports a file; what can be imported of it is an intact archive, and all else a typed error.
    private func check(_ bytes: [UInt8], _ comment: Comment) throws {
        let known: Set<ArchiveError.Code> = [.damaged, .truncated, .unsupportedVersion, .notAnArchive]
        do {
            let summary = try run(bytes)
            #expect(!summary.damage.isEmpty, comment)
            #expect(summary.damage.allSatisfy { $0.path == folder.path("x.zim").string }, comment)
            let found = ArchiveVerifier(try ArchiveReader(path: imported.path)).run()
            #expect(found.allSatisfy { $0.severity != .error }, comment)
        } catch let error as ArchiveError {
            #expect(known.contains(error.code) && error.path == folder.path("x.zim").string, comment)
        }
    }

    @Test func cutOff() throws {
        let whole = try whole()
        for length in Array(stride(from: 4, to: whole.count - 20, by: 5)) + Array(whole.count - 20..<whole.count) {
            let isWithoutMD5 = length >= whole.count - 16
            let error = archiveError {
                let summary = try run(Array(whole[..<length]))
                #expect(isWithoutMD5 && summary.damage.map(\.code) == [.damaged] && summary.responses == 5)
            }
            #expect(isWithoutMD5 || error?.code == .truncated, "after \(length) bytes: \(String(describing: error))")
            if !isWithoutMD5 { #expect(error?.path == folder.path("x.zim").string && error?.offset == UInt64(length)) }
        }
    }

    /// Each number of the header, of the lists, of the entries and of a cluster with hostile values.
    @Test func numbers() throws {
        let whole = try whole()
        let (entries, clusters) = (Self.number(whole, 32), Self.number(whole, 48))
        var places = [(4, 2), (6, 2), (24, 4), (28, 4), (32, 8), (48, 8), (56, 8), (64, 4), (72, 8)]
        places += (0..<10).map { (entries + 8 * $0, 8) } + (0..<3).map { (clusters + 8 * $0, 8) }
        for number in 0..<10 {
            let entry = Self.number(whole, entries + 8 * number)
            places += [(entry, 2), (entry + 8, 4), (entry + 12, 4)]
        }
        // The offsets of the cluster that is not compressed.
        let cluster = Self.number(whole, clusters + 8)
        places += (0..<3).map { (cluster + 1 + 8 * $0, 8) } + [(cluster, 1)]
        let values: [UInt64] = [
            0, 1, 3, 71, 80, UInt64(whole.count - 1), UInt64(whole.count), 1 << 31, (1 << 32) - 2, 1 << 63,
            (1 << 63) - 1, .max - 7, .max,
        ]
        var random = SeededGenerator.printed()
        for (place, length) in places {
            for value in LargeTests.areEnabled ? values : Array(values.shuffled(using: &random).prefix(6)) {
                var bytes = whole
                Self.set(&bytes, place, length, value)
                guard bytes != whole else { continue }
                try check(bytes, "\(value) at \(place)")
            }
        }
    }

    /// The MD5 covers every byte.
    @Test func everyByte() throws {
        let whole = try whole()
        var random = SeededGenerator.printed()
        let step = LargeTests.areEnabled ? 1 : 2
        for place in stride(from: 4 + Int.random(in: 0..<step, using: &random), to: whole.count, by: step) {
            var bytes = whole
            bytes[place] ^= (place / 2) % 2 == 0 ? 0xFF : 0x01
            try check(bytes, "at \(place)")
        }
    }

    /// A file that does not match its MD5 is imported all the same.
    @Test func wrongMD5() throws {
        var bytes = try whole()
        bytes[bytes.count - 1] ^= 1
        let summary = try run(bytes)
        #expect(summary.damage.map(\.code) == [.damaged] && summary.responses == 5)
        #expect(summary.damage.first?.offset == UInt64(bytes.count - 16))
        #expect(archiveError { try run(bytes, isStrict: true) }?.code == .damaged)
    }

    @Test func otherVersions() throws {
        for version in [4, 7] {
            var zim = ZIMImportTests.old(folder)
            zim.major = version
            _ = try zim("other.zim")
            let bytes = try folder.read("other.zim")
            #expect(archiveError { try run(bytes) }?.code == .unsupportedVersion)
        }
    }

    /// Each cluster stands for itself, and blobs before a damaged place are kept.
    @Test func damagedClusters() throws {
        var zim = PythonZIM(folder: folder)
        zim.hasChecksum = false
        zim.entries = (0..<4).flatMap { cluster in (0..<3).map { .blob("A/\(cluster)\($0)", cluster, $0) } }
        let long = (0..<20_000).map(String.init).joined(separator: " ")
        zim.clusters = [
            .init("a", "b", "c"), .init(long, long + "1", long + "2", method: 4), .init("d", "e", "f"),
            .init("g", "h", "i", method: 4),
        ]
        _ = try zim("many.zim")
        let whole = try folder.read("many.zim")
        let clusters = (0..<4).map { Self.number(whole, Self.number(whole, 48) + 8 * $0) }
        var bytes = whole
        bytes[clusters[1] + (clusters[2] - clusters[1]) / 2] ^= 0xFF
        // The second blob of the third cluster reaches beyond it.
        Self.set(&bytes, clusters[2] + 1 + 8, 4, 1 << 20)
        Self.set(&bytes, clusters[2] + 1 + 12, 4, 1 << 20)
        bytes[clusters[3]] = 3
        let summary = try run(bytes)
        let kept = try ArchiveReader(path: imported.path).entries().map { try $0.key.suffix(2) }
        #expect(kept.filter { $0.hasPrefix("0") } == ["00", "01", "02"])
        #expect(kept.filter { $0.hasPrefix("2") } == ["20"] && !kept.contains { $0.hasPrefix("3") })
        #expect(!kept.contains("12"))
        #expect(summary.damage.map(\.code) == [.damaged, .truncated, .unsupportedFeature])
        #expect(summary.damage.map(\.offset).dropFirst().elementsEqual(clusters[2...].map { UInt64($0) }))
        #expect(summary.damage[2].message.contains("3 of its entries"))
    }

    /// A cluster that is listed many times would be decoded as often.
    @Test func clustersAtOnePlace() throws {
        var zim = PythonZIM(folder: folder)
        zim.hasChecksum = false
        zim.entries = (0..<3).map { .blob("A/\($0)", $0, 0) }
        zim.clusters = [.init("a"), .init("b"), .init("c")]
        _ = try zim("same.zim")
        var bytes = try folder.read("same.zim")
        let list = Self.number(bytes, 48)
        Self.set(&bytes, list + 16, 8, UInt64(Self.number(bytes, list)))
        let summary = try run(bytes)
        #expect(summary.responses == 2 && summary.damage.map(\.code) == [.damaged])
        #expect(summary.damage.first?.message.contains("clusters 0 and 2") == true)
    }

    /// An entry that is listed many times is parsed as often, and empty frames before a cluster are decoded.
    @Test func workThatGivesNothing() throws {
        var zim = PythonZIM(folder: folder)
        zim.hasChecksum = false
        zim.entries = [.blob("A/" + String(repeating: "x", count: 10_000), 0, 0)]
        zim.clusters = [.init("a")]
        _ = try zim("long.zim")
        let source = try FileByteSource(path: folder.path("long.zim"))
        let header = try ZIMFile(source).header
        var charged = 0
        let directory = ZIMDirectory(source, header) { count throws(ArchiveError) in charged += count }
        _ = try directory.entry(0)
        let first = charged
        for _ in 0..<10 { _ = try directory.entry(0) }
        #expect(charged >= first + 10 * 10_000)
    }

    /// Redirects in a circle are imported as they are, and the main page is none of them.
    @Test func circles() throws {
        var zim = PythonZIM(folder: folder)
        (zim.major, zim.minor, zim.mainPage) = (6, 1, 3)
        zim.entries = [.redirect("C/a", 1), .redirect("C/b", 0), .blob("C/c", 0, 0), .redirect("W/mainPage", 3)]
        zim.clusters = [.init("c")]
        _ = try zim("circle.zim")
        let summary = try run(folder.read("circle.zim"))
        #expect(summary.responses == 3 && summary.damage.count == 1 && summary.damage[0].message.contains("circle"))
        let archive = try ArchiveReader(path: imported.path)
        #expect(try archive.metadata()["mainPage"] == nil)
        #expect(
            try archive.entries().map { try $0.redirectTarget } == [
                "https://zim.invalid/b", "https://zim.invalid/a", nil,
            ])
    }

    /// A cluster that decodes to more than a multiple of the file ends the import; decoded once, it does not matter how many entries have it.
    @Test(arguments: [true, false]) func aCluster(_ isBomb: Bool) throws {
        var zim = PythonZIM(folder: folder)
        zim.entries = (0..<(isBomb ? 1 : 100)).map { .blob("A/\($0)", 0, 0) }
        var cluster = PythonZIM.Cluster("", method: 4)
        cluster.zeros = isBomb ? 64 << 20 : 4 << 20
        zim.clusters = [cluster]
        let path = try zim("zeros.zim")
        let error = archiveError {
            let count = try run(path, decoded: 8 << 20)
            #expect(count == 100)
        }
        #expect(error?.code == (isBomb ? .limitExceeded : nil))
    }

    /// A directory with one entry many times, whose path has no end.
    @Test func pathsWithoutEnd() throws {
        var zim = PythonZIM(folder: folder)
        zim.entries = [.blob("A/" + String(repeating: "p", count: 70_000), 0, 0)]
        zim.clusters = [.init("x")]
        _ = try zim("long.zim")
        var bytes = try folder.read("long.zim")
        #expect(try run(bytes).damage.map(\.code) == [.damaged])
        let (entry, count) = (Self.number(bytes, Self.number(bytes, 32)), 3_000)
        Self.set(&bytes, 32, 8, UInt64(bytes.count))
        Self.set(&bytes, 24, 4, UInt64(count))
        let pointer = (0..<8).map { UInt8(truncatingIfNeeded: entry >> (8 * $0)) }
        for _ in 0..<count { bytes += pointer }
        let path = try folder.write("long.zim", bytes)
        #expect(archiveError { _ = try run(path, decoded: 1 << 20) }?.code == .limitExceeded)
    }

    /// Imports a file with a small budget; returns the number of responses.
    private func run(_ path: FilePath, decoded: UInt64) throws -> Int {
        let builder = try CommitBuilder(creating: imported.path)
        defer { builder.cancel() }
        let output = ImportOutput(
            ImportTarget(imported.path, builder, ArchiveImporter.Options()), ArchiveImporter.Options(),
            budget: InterchangeBudget(decoded: decoded))
        try ImportRun(output, former: nil).add(SourceFormat.source(at: path), at: path)
        return output.summary.responses
    }
}
