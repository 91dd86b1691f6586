// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The limit of an export on bodies that it writes again: few bytes of an archive can refer to one body any number of times.
final class RepeatedBodies {
    private var written: RowSet
    private var left: UInt64
    private let limit: UInt64

    /// The number of bytes that any archive may repeat.
    static let allowance: UInt64 = 1 << 30

    /// - Parameter allowance: the number of bytes that any archive may repeat.
    init(of archive: ArchiveReader, allowance: UInt64) {
        written = RowSet(capacity: archive.bodyCount + 1)
        limit = archive.fileLength.multipliedSaturated(by: 64).addingSaturated(allowance)
        left = limit
    }

    /// Charges a body, unless it is written for the first time.
    ///
    /// - Throws: `limitExceeded` for more than the allowance and 64 times the length of the archive.
    func charge(_ body: ArchiveBody) throws(ArchiveError) {
        guard !written.insert(body.number) else { return }
        guard body.length <= left else {
            throw ArchiveError(
                .limitExceeded,
                "the export repeats more than \(limit) bytes of bodies that several entries share; export fewer entries, which webarc extract copies"
            )
        }
        left -= body.length
    }
}
