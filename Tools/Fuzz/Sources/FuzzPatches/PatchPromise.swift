// SPDX-License-Identifier: Apache-2.0

import Crypto
import FuzzSupport
import Mutation
import SystemPackage

@testable import WebArchive
@testable import WebArchiveUpdates

extension PatchParts {
    /// Makes the header promise what the records give, as far as they give something.
    mutating func promise() {
        header.setNumber(PatchRules.longestArchive, at: 56, width: 8)
        let bytes = assembled()
        let source = MemoryByteSource(bytes)
        guard let known = try? PatchHeader(of: source), let given = try? given(source, known) else { return }
        header.setNumber(UInt64(given.count), at: 56, width: 8)
        header.replaceSubrange(64..<96, with: Array(SHA256.hash(data: given)))
    }

    private func given(_ source: MemoryByteSource, _ known: PatchHeader) throws(ArchiveError) -> [UInt8] {
        let file = try WholeArchiveFile(replacing: ScratchFolder.path.appending("promise.webarc"))
        defer { file.cancel() }
        let output = PatchedFile(
            file.descriptor, path: file.partial, name: file.partial, limit: known.newLength)
        try output.append(known.archiveHeader)
        if known.keptLength > 96 {
            try output.append(old.stored.source.bytes(at: 96, count: Int(known.keptLength - 96)))
        }
        var input = PatchInput(source, at: UInt64(PatchHeader.length))
        var old = old
        old.limits = PatchLimits(old.stored, patchLength: source.length)
        let templates = OldTemplates(old)
        for _ in 0..<known.commitCount {
            try CommitPatcher(
                old: old, templates: templates, output: output,
                fullLength: 1 << Int(known.archiveHeader[13] & 31), threads: 1
            ).run(&input) { _ in }
        }
        try output.flush()
        return try FileByteSource(path: file.partial).bytes(at: 0, count: Int(output.length))
    }
}
