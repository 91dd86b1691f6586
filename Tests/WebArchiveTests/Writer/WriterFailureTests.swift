// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

#if os(Linux) || os(macOS)

    /// The effects of a full disk and of a sudden end, in processes of their own.
    @Suite struct WriterFailureTests {
        /// The size at which files can grow no further: what a full disk is, without needing a disk.
        private static func limitFiles(to length: Int?) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            #if os(Linux)
                let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #else
                let resource = RLIMIT_FSIZE
            #endif
            #expect(getrlimit(resource, &limit) == 0)
            limit.rlim_cur = length.map { rlim_t($0) } ?? limit.rlim_max
            #expect(setrlimit(resource, &limit) == 0)
        }

        private static func write(_ bodies: [[UInt8]], with writer: ArchiveWriter) throws {
            for (number, body) in bodies.enumerated() {
                try Exchange("http://a/\(number)", body: body).write(to: writer)
            }
            try writer.commit()
        }

        /// The first error is `io`, and all that is tried after it is refused.
        private static func expectFailure(_ writer: ArchiveWriter, _ bodies: [[UInt8]], _ limit: Int) {
            let error = archiveError { try write(bodies, with: writer) }
            #expect(error?.code == .io && error?.cause is Errno, "limit \(limit): \(error?.description ?? "no error")")
            for work in [
                { try writer.commit() },
                {
                    _ = try writer.addBody([7])
                    try writer.commit()
                },
            ] {
                #expect(archiveError(work)?.code == .poisoned, "limit \(limit)")
            }
        }

        /// From the header to the last byte of the footer; some bodies are longer than the writer's buffer.
        private static func lengths(_ first: Int, _ last: Int) -> [Int] {
            [first, first + 1] + (1..<12).map { first + (last - first) * $0 / 12 } + (1...70).map { last - $0 }
        }

        @Test func fullDiskWhileCreating() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                var random = SeededGenerator(seed: 1)
                let bodies = [random.bytes(700_000), random.bytes(600_000), random.bytes(1_300_000), random.text(5000)]
                let old = try folder.read(folder.archive([Exchange("http://old/")]).lastComponent?.string ?? "")
                try Self.write(bodies, with: ArchiveWriter(creating: folder.path("whole")))
                let whole = try folder.read("whole").count
                for limit in Self.lengths(0, whole) {
                    for name in ["a.webarc", "new"] {
                        let writer = try ArchiveWriter(creating: folder.path(name))
                        Self.limitFiles(to: limit)
                        Self.expectFailure(writer, bodies, limit)
                        Self.limitFiles(to: nil)
                    }
                    #expect(
                        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
                            "a.webarc", "whole",
                        ])
                    #expect(try folder.read("a.webarc") == old)
                }
                // One byte more, and all is well.
                Self.limitFiles(to: whole)
                try Self.write(bodies, with: ArchiveWriter(creating: folder.path("new")))
                #expect(try folder.read("new") == folder.read("whole"))
            }
        }

        @Test func fullDiskWhileAppending() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                var random = SeededGenerator(seed: 2)
                let bodies = [random.bytes(700_000), random.bytes(600_000), random.text(5000)]
                let old = try folder.read(
                    folder.archive([Exchange("http://old/", body: [1])]).lastComponent?.string ?? "")
                try folder.write("whole", old)
                try Self.write(bodies, with: ArchiveWriter(appendingTo: folder.path("whole")))
                let whole = try folder.read("whole").count
                for limit in Self.lengths(old.count, whole) {
                    let writer = try ArchiveWriter(appendingTo: folder.path("a.webarc"))
                    Self.limitFiles(to: limit)
                    Self.expectFailure(writer, bodies, limit)
                    Self.limitFiles(to: nil)
                    #expect(try folder.read("a.webarc")[96...] == old[96...], "limit \(limit)")
                    #expect(try ArchiveReader(path: folder.path("a.webarc")).tornTail == 0)
                }
                Self.limitFiles(to: whole)
                try Self.write(bodies, with: ArchiveWriter(appendingTo: folder.path("a.webarc")))
                #expect(try folder.read("a.webarc") == folder.read("whole"))
            }
        }

        /// A process that is killed leaves what was there, and the next writer is not kept waiting.
        @Test func killed() async throws {
            let folder = try TemporaryFolder()
            let archive = try folder.archive([Exchange("http://old/", body: [1, 2, 3])]).string
            let before = try folder.read("a.webarc")
            await #expect(processExitsWith: .signal(SIGKILL)) { [archive = archive as String] in
                let writer = try ArchiveWriter(creating: FilePath(archive))
                var random = SeededGenerator(seed: 3)
                _ = try writer.addBody(random.bytes(3 << 20))
                kill(getpid(), SIGKILL)
            }
            #expect(try folder.read("a.webarc") == before)
            #expect(try folder.read("a.webarc.partial").count > 1 << 20)
            await #expect(processExitsWith: .signal(SIGKILL)) { [archive = archive as String] in
                let writer = try ArchiveWriter(appendingTo: FilePath(archive))
                var random = SeededGenerator(seed: 3)
                _ = try writer.addBody(random.bytes(3 << 20))
                kill(getpid(), SIGKILL)
            }
            let reader = try ArchiveReader(path: FilePath(archive))
            #expect(reader.tornTail > 1 << 20)
            #expect(try reader.entry(for: "http://old/")?.body?.bytes() == [1, 2, 3])
            try folder.archive([Exchange("http://new/")], appending: true)
            #expect(
                try ArchiveReader(path: FilePath(archive)).entries().map { try $0.key } == [
                    "http://new/", "http://old/",
                ])
            #expect(try ArchiveReader(path: FilePath(archive)).tornTail == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.webarc"])
        }
    }

#endif
