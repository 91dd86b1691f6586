// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

/// Spec/vectors/invalid: each fails with its code, and not later than it must.
@Suite struct InvalidVectorTests {
    @Test(arguments: Vectors.invalid, Way.allCases)
    func failsAsItMust(_ vector: Vectors.Invalid, _ way: Way) {
        check(vector) { () throws(ArchiveError) in try way.open(vector.bytes) }
    }

    @Test(arguments: Vectors.invalid)
    func failsAsAFile(_ vector: Vectors.Invalid) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(vector.name, vector.bytes)
        for access in [FileByteSource.Access.positional, .mapped] {
            check(vector) { () throws(ArchiveError) in try ArchiveReader(path: path, access: access) }
        }
    }

    private func check(_ vector: Vectors.Invalid, _ open: () throws(ArchiveError) -> ArchiveReader) {
        var stage = Stage.open
        do throws(ArchiveError) {
            _ = try Content(stage: &stage, reading: open)
            #expect(vector.stage == .verify, "was read without an error")
        } catch {
            #expect(error.code == vector.code, "\(error)")
            #expect(stage <= vector.stage, "\(error)")
        }
    }

    @Test(arguments: Vectors.invalid)
    func verifierFindsIt(_ vector: Vectors.Invalid) throws {
        guard let archive = try? ArchiveReader(bytes: vector.bytes) else { return }
        #expect(ArchiveVerifier(archive).run().contains { $0.severity == .error })
    }
}
