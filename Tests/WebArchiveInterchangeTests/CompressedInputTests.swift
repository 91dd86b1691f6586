// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// Tests of WARC files that other programs compressed.
@Suite struct CompressedInputTests {
    private let imported = ImportedFiles()

    /// A program that compresses one frame, and the dictionary that comes first.
    enum Form: CaseIterable {
        case gzip, zstd, zstdWithoutChecksum, zstdWithDictionary, zstdWithCompressedDictionary, lz4
    }

    private static func body(_ number: Int) -> String {
        (0..<40).map { "<p>page \(number), paragraph \($0 * number)</p>" }.joined()
    }

    /// Records, each of them compressed by itself, with the frame of the dictionary first.
    private func frames(_ form: Form, _ records: [[UInt8]]) throws -> [[UInt8]] {
        func run(_ arguments: [String], _ bytes: [UInt8]) throws -> [UInt8] {
            Array(try ExternalTool.run(arguments + [imported.folder.write("piece", bytes).string]).output)
        }
        func dictionary() throws -> [UInt8] {
            let samples = try (0..<200).map { number in
                let response = ImportedFiles.response("http://a/\(number)", Self.body(number))
                return try imported.folder.write("sample\(number)", response).string
            }
            let path = imported.folder.path("dictionary").string
            _ = try ExternalTool.run(["zstd", "-q", "--train", "--maxdict=4096", "-o", path] + samples)
            return Array(try Data(contentsOf: URL(filePath: path)))
        }
        func skippable(_ bytes: [UInt8]) -> [UInt8] {
            [0x5D, 0x2A, 0x4D, 0x18] + withUnsafeBytes(of: UInt32(bytes.count).littleEndian, Array.init) + bytes
        }
        let lz4 = "import sys, lz4.frame; sys.stdout.buffer.write(lz4.frame.compress(open(sys.argv[1], 'rb').read()))"
        switch form {
        case .gzip: return try records.map(imported.gzip)
        case .zstd: return try records.map { try run(["zstd", "-qc"], $0) }
        case .zstdWithoutChecksum: return try records.map { try run(["zstd", "-qc", "--no-check"], $0) }
        case .zstdWithDictionary, .zstdWithCompressedDictionary:
            let bytes = try dictionary()
            let path = imported.folder.path("dictionary").string
            let frame = form == .zstdWithDictionary ? bytes : try run(["zstd", "-qc"], bytes)
            return try [skippable(frame)] + records.map { try run(["zstd", "-qc", "-D", path], $0) }
        case .lz4: return try records.map { try run(["python3", "-c", lz4], $0) }
        }
    }

    /// A compressed file gives the decompressed one again.
    @Test(arguments: Form.allCases) func theSameAsPlain(_ form: Form) throws {
        // One is longer than every buffer on the way.
        let long = String(repeating: String(repeating: "x", count: 300) + "\n", count: 10_000)
        let records =
            (0..<5).map { ImportedFiles.response("http://a/\($0)", Self.body($0)) }
            + [ImportedFiles.response("http://a/long", long)]
        var options = ArchiveImporter.Options()
        options.keepsOriginals = true
        let summary = try imported(frames(form, records).flatMap { $0 }, options: options)
        #expect(summary.responses == 6 && summary.damage.isEmpty)
        #expect(try imported.exported(isExact: true) == records.flatMap { $0 })
    }

    /// Damage in one frame does not affect those before and after it.
    @Test(arguments: Form.allCases) func damage(_ form: Form) throws {
        let records = (0..<6).map { ImportedFiles.response("http://a/\($0)", Self.body($0)) }
        var frames = try frames(form, records)
        let place = frames.count - 3
        for offset in frames[place].count / 2..<frames[place].count / 2 + 8 { frames[place][offset] ^= 0xFF }
        let summary = try imported(frames.flatMap { $0 })
        let urls = try ArchiveReader(path: imported.path).entries().map { try $0.key }
        // Without a checksum damaged text cannot be told from other text.
        if form == .zstdWithoutChecksum {
            #expect(urls.contains("http://a/2") && urls.contains("http://a/4"))
        } else {
            #expect(urls == [0, 1, 2, 4, 5].map { "http://a/\($0)" })
            let offset = try #require(summary.damage.first?.offset)
            let start = frames[..<place].reduce(0) { $0 + $1.count }
            #expect(offset >= start && offset < start + frames[place].count)
        }
    }

    /// A file that was cut off gives the records before the cut, wherever it is.
    @Test(arguments: Form.allCases) func cutOff(_ form: Form) throws {
        let records = (0..<3).map { ImportedFiles.response("http://a/\($0)", "body \($0)") }
        let frames = try frames(form, records)
        let file = frames.flatMap { $0 }
        let before = frames.count - 3
        let first = frames[...before].reduce(0) { $0 + $1.count }
        for length in stride(from: first, to: file.count, by: LargeTests.areEnabled ? 1 : 3) {
            let summary = try imported(Array(file[..<length]))
            let count = try ArchiveReader(path: imported.path).entries().count
            let whole = (1...3).last { file[..<length].count >= frames[..<(before + $0)].reduce(0) { $0 + $1.count } }
            // The last bytes of a frame may be its checksum only.
            #expect(count >= whole ?? 0 && count <= (whole ?? 0) + 1 && summary.damage.count <= 1, "\(length) bytes")
        }
    }

    @Test func aLongDictionaryIsRefused() throws {
        let error = archiveError { try imported([0x5D, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0x7F] + Array("x".utf8)) }
        #expect(error?.code == .limitExceeded)
        let short = archiveError { try imported([0x5D, 0x2A, 0x4D, 0x18, 16, 0, 0, 0] + Array("x".utf8)) }
        #expect(short?.code == .truncated)
    }

    /// A dictionary that decodes to more than 8 MiB is refused, whatever its own length is.
    @Test func aDictionaryOfZerosIsRefused() throws {
        let zeros = try imported.folder.write("zeros", [UInt8](repeating: 0, count: 64 << 20)).string
        let frame = Array(try ExternalTool.run(["zstd", "-qc", "--long=23", zeros]).output)
        let length = withUnsafeBytes(of: UInt32(frame.count).littleEndian, Array.init)
        #expect(archiveError { try imported([0x5D, 0x2A, 0x4D, 0x18] + length + frame) }?.code == .limitExceeded)
    }
}
