// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct SequentialWriterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func withFile(
        _ mode: FileDescriptor.AccessMode = .readWrite, at position: UInt64 = 0,
        _ work: (SequentialWriter) throws -> Void
    ) throws -> [UInt8] {
        let descriptor = try FileDescriptor.open(
            folder.path("f"), mode, options: .create, permissions: [.ownerReadWrite])
        try descriptor.closeAfter { try work(SequentialWriter(descriptor, at: position, name: "f")) }
        return try folder.read("f")
    }

    private func read(_ writer: SequentialWriter, _ range: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        try bytes.withMutableBytes { (buffer) throws(ArchiveError) in
            try writer.read(at: UInt64(range.lowerBound), into: buffer)
        }
        return bytes
    }

    /// Pieces smaller and larger than the buffer, steps back and readings in between, against a plain array.
    @Test func likeAnArray() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<10 {
            var expected: [UInt8] = []
            let written = try withFile { writer in
                for _ in 0..<30 {
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0:
                        let end = Int.random(in: 0...expected.count, using: &random)
                        expected.removeSubrange(end...)
                        try writer.rewind(to: UInt64(end))
                    case 1:
                        let low = Int.random(in: 0...expected.count, using: &random)
                        let high = Int.random(in: low...min(low + 100_000, expected.count), using: &random)
                        #expect(try read(writer, low..<high) == Array(expected[low..<high]), "seed \(random.seed)")
                    case 2:
                        try writer.flush()
                    default:
                        let bytes = random.bytes(
                            [1, 1000, 700_000, 1 << 20, 1_200_000][Int.random(in: 0..<5, using: &random)])
                        try writer.append(bytes)
                        expected += bytes
                    }
                    #expect(writer.position == UInt64(expected.count))
                }
                try writer.synchronise()
            }
            #expect(written == expected, "seed \(random.seed)")
        }
    }

    @Test func continuesAtAPosition() throws {
        try folder.write("f", Array(repeating: 9, count: 100))
        let written = try withFile(at: 60) { writer in
            try writer.append([1, 2])
            try writer.overwrite(at: 3, [7, 7])
            #expect(writer.position == 62)
            try writer.synchronise()
        }
        #expect(written.count == 62 && written.suffix(3) == [9, 1, 2] && written.prefix(6) == [9, 9, 9, 7, 7, 9])
    }

    @Test func anErrorIsTheLastWord() throws {
        for first in [
            { try $0.synchronise() }, { try $0.append([UInt8](repeating: 1, count: 1 << 20)) }, { try $0.flush() },
            { try $0.overwrite(at: 0, [1]) },
        ] as [(SequentialWriter) throws -> Void] {
            try folder.write("f", [1, 2, 3])
            let written = try withFile(.readOnly) { writer in
                try writer.append([5])
                let error = archiveError { try first(writer) }
                #expect(error?.code == .io && error?.path == "f" && error?.cause as? Errno == .badFileDescriptor)
                for (what, work) in [
                    ("append", { try writer.append([1]) }), ("flush", { try writer.flush() }),
                    ("synchronise", { try writer.synchronise() }), ("rewind", { try writer.rewind(to: 0) }),
                    ("overwrite", { try writer.overwrite(at: 0, [1]) }),
                ] as [(String, () throws -> Void)] {
                    let later = archiveError(work)
                    #expect(later?.code == .poisoned, "\(what)")
                    #expect((later?.cause as? ArchiveError)?.code == .io)
                }
            }
            #expect(written == [1, 2, 3])
        }
    }

    @Test func abandoning() throws {
        try folder.write("f", [1, 2, 3])
        let written = try withFile(at: 3) { writer in
            try writer.append([4])
            try writer.flush()
            try writer.append([5])
            writer.abandon(backTo: 3)
            #expect(archiveError { try writer.append([6]) }?.code == .poisoned)
            #expect(archiveError { try writer.synchronise() }?.code == .poisoned)
        }
        #expect(written == [1, 2, 3])
    }

    @Test func longerThanAnArchiveCanBe() throws {
        let limit: UInt64 = 1 << 48
        _ = try withFile(at: limit - 2) { writer in
            try writer.append([1, 2])
            #expect(archiveError { try writer.flush() }?.code == .limitExceeded)
            #expect(archiveError { try writer.flush() }?.code == .poisoned)
        }
    }
}
