// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct IndexSinkTests {
    /// However the bytes come, the sums are those of pages of 4,096 bytes, counted from the start of the index.
    @Test(arguments: [0, 1, 4095, 4096, 4097, 8192, 30_000]) func sumsOfPages(length: Int) throws {
        var random = SeededGenerator.printed()
        let bytes = random.bytes(length)
        for chunk in [1, 100, 4096, 5000, 100_000] {
            let folder = try TemporaryFolder()
            let descriptor = try FileDescriptor.open(
                folder.path("f"), .readWrite, options: .create, permissions: [.ownerReadWrite])
            defer { try? descriptor.close() }
            let file = SequentialWriter(descriptor, at: 0, name: "f")
            try file.append([1, 2, 3])
            var sink = IndexSink(file)
            for start in stride(from: 0, to: length, by: chunk) {
                try sink.append(Array(bytes[start..<min(start + chunk, length)]))
                #expect(sink.length == UInt64(min(start + chunk, length)))
            }
            try sink.finish()
            try file.flush()
            #expect(try folder.read("f") == [1, 2, 3] + bytes)
            var expected = ByteSink()
            for start in stride(from: 0, to: length, by: 4096) {
                expected.integer(Checksum.of(bytes[start..<min(start + 4096, length)]))
            }
            #expect(sink.sums.bytes == expected.bytes)
        }
    }
}
