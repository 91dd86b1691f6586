// SPDX-License-Identifier: Apache-2.0

/// The bodies that were copied byte by byte, each once for all of its entries.
///
/// Few bodies are: different ones with one digest, and those of dictionaries. An archive that has far more of them than its length
/// is made to take long.
final class StreamedBodies {
    private var references: [Int: CommitBuilder.BodyReference] = [:]
    private var left: UInt64

    init(fileLength: UInt64) {
        left = fileLength.multipliedSaturated(by: 16).addingSaturated(64 << 20)
    }

    /// Returns a body that was already copied; nil if it was not.
    func known(_ body: ArchiveBody) -> CommitBuilder.BodyReference? { references[body.number] }

    /// Returns the reference to a body in the new archive, which `copy` creates at the first call for it.
    ///
    /// A short body costs as much as the block that is decoded for it.
    ///
    /// - Throws: `limitExceeded` if the bodies exceed the limit, and errors of `copy`.
    func reference(
        to body: ArchiveBody, blockLength: Int, copy: () throws(ArchiveError) -> CommitBuilder.BodyReference
    ) throws(ArchiveError) -> CommitBuilder.BodyReference {
        if let known = references[body.number] { return known }
        let cost = max(body.length, UInt64(blockLength))
        guard cost <= left else {
            throw ArchiveError(.limitExceeded, "too many different bodies share a digest")
        }
        left -= cost
        let new = try copy()
        references[body.number] = new
        return new
    }
}
