// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct SpooledBodyTests {
    let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    private func body(_ bytes: [UInt8], by step: Int) throws -> SpooledBody {
        let body = SpooledBody(folders: [FilePath(folder.url.path)])
        for start in stride(from: 0, to: bytes.count, by: step) {
            try Array(bytes[start..<min(start + step, bytes.count)]).withBytes { (chunk) throws(ArchiveError) in
                try body.append(chunk)
            }
        }
        return body
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 700_001])
    func bytesComeBackAsTheyWentIn(_ length: Int) throws {
        var random = SeededGenerator(seed: UInt64(length))
        let bytes = random.bytes(length)
        for step in [1_000, 65_536, 1_000_000] {
            let body = try body(bytes, by: step)
            body.finish()
            #expect(body.length == UInt64(length))
            #expect(body.isInFile == (length > 262_144))
            #expect(try body.bytes(in: 0..<UInt64(length)) == bytes)
            let part = UInt64(length / 3)..<UInt64(length - length / 4)
            #expect(try body.bytes(in: part) == Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)]))
            let mapping = try body.mapping()
            #expect(withExtendedLifetime(mapping) { mapping.bytes.elementsEqual(bytes) })
            #expect(try body.digest() == ContentDigest(hashing: bytes))
            #expect(failure { _ = try body.bytes(in: 0..<UInt64(length) + 1) }?.code == .invalidArgument)
        }
    }

    @Test(arguments: [0, 1, 262_144, 300_000])
    func aBodyLongerThanItsLimitIsForgotten(_ limit: Int) throws {
        let body = SpooledBody(folders: [FilePath(folder.url.path)], maximumLength: UInt64(limit))
        try [UInt8](repeating: 1, count: limit).withBytes { (bytes) throws(ArchiveError) in try body.append(bytes) }
        #expect(body.length == UInt64(limit))
        for _ in 0..<2 {
            let error = failure { try [1].withBytes { (bytes) throws(ArchiveError) in try body.append(bytes) } }
            #expect(error?.code == .limitExceeded)
        }
        #expect(body.length == 0 && !body.isInFile)
    }

    @Test func theFileHasNoName() throws {
        let body = try body([UInt8](repeating: 1, count: 300_000), by: 50_000)
        #expect(body.isInFile)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func aFolderThatIsNotThereIsPassedOver() throws {
        let body = SpooledBody(folders: [folder.path("none"), FilePath(folder.url.path)])
        try [UInt8](repeating: 1, count: 300_000).withBytes { (bytes) throws(ArchiveError) in try body.append(bytes) }
        #expect(body.isInFile)
    }

    @Test func afterAnErrorTheBodyAndLaterBytesAreDiscarded() throws {
        let body = SpooledBody(folders: [folder.path("none")])
        for count in [1_000, 300_000, 1] {
            let error = failure {
                try [UInt8](repeating: 1, count: count).withBytes { bytes throws(ArchiveError) in try body.append(bytes)
                }
            }
            #expect(error?.code == (count == 1_000 ? nil : .io))
        }
        #expect(body.length == 0)
        #expect(failure { _ = try body.mapping() }?.code == .io)
    }

    @Test func nothingIsAddedAfterTheEnd() throws {
        let body = try SpooledBody([1])
        #expect(
            failure { try [5].withBytes { (bytes) throws(ArchiveError) in try body.append(bytes) } }?.code
                == .invalidArgument)
    }

    @Test func aMappingOutlivesItsBody() throws {
        var random = SeededGenerator(seed: 1)
        for length in [1_000, 400_000] {
            let bytes = random.bytes(length)
            let mapping = try body(bytes, by: 1_000_000).mapping()
            #expect(withExtendedLifetime(mapping) { mapping.bytes.elementsEqual(bytes) })
        }
    }
}
