// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Spec/vectors, copied by the writer of this product and read by the second reader.
@Suite struct CopiedVectorTests {
    private let folder: TemporaryFolder
    private let target: FilePath

    init() throws {
        folder = try TemporaryFolder()
        target = folder.path("copy.webarc")
    }

    private static let everything: EntryFilter = EntryFilter()

    private func other() throws -> ArchiveReader {
        let site = try #require(Vectors.valid.first { $0.name == "site.webarc" })
        return try ArchiveReader(bytes: site.bytes)
    }

    /// Verifies the copy by both implementations.
    private func expectIntact() throws {
        #expect(ArchiveVerifier(try ArchiveReader(path: target)).run().allSatisfy { $0.severity != .error })
        let reader = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path
        let result = try Python.run([reader, "verify", target.string])
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
    }

    @Test(arguments: Vectors.valid)
    func aValidOneIsCopied(_ vector: Vectors.Valid) throws {
        let reader = try ArchiveReader(bytes: vector.bytes)
        for archives in [[reader, try other()], [try other(), reader]] where !reader.isLastCommitDamaged {
            do throws(ArchiveError) {
                _ = try ArchiveMerger(archives, into: target).run()
            } catch {
                // Verifying finds what is wrong in some of them, and says so with a warning.
                Issue.record("\(vector.name): \(error)")
            }
            try expectIntact()
        }
        guard reader.entryCount > 0 else { return }
        let summary = try ArchiveExtractor(reader, into: target, filter: Self.everything).run()
        #expect(summary.entries == reader.entryCount && summary.damage.isEmpty == !reader.isLastCommitDamaged)
        try expectIntact()
    }

    @Test(arguments: Vectors.invalid)
    func anInvalidOneLeavesNoFile(_ vector: Vectors.Invalid) throws {
        guard let reader = try? ArchiveReader(bytes: vector.bytes) else { return }
        for archives in [[reader, try other()], [try other(), reader]] {
            do throws(ArchiveError) {
                _ = try ArchiveMerger(archives, into: target).run()
                try? FileManager.default.removeItem(atPath: target.string)
            } catch {
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty, "\(error)")
            }
        }
        do throws(ArchiveError) {
            _ = try ArchiveExtractor(reader, into: target, filter: Self.everything).run()
        } catch {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty, "\(error)")
        }
    }
}
