// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveUpdates

extension ArchiveUpdater.Outcome {
    /// The outcome for people, for use after the name of the archive.
    var text: String {
        switch self {
        case .current(let sequence):
            return "edition \(sequence) is the newest"
        case .updated(let from, let sequence, _, let loaded) where from == sequence:
            return "edition \(sequence) was damaged, and was loaded again; \(SizeFormat.bytes(loaded)) loaded"
        case .updated(let from, let sequence, let patches, let loaded):
            let way = patches == 0 ? "" : " by \(SizeFormat.count(patches, "patch", "patches"))"
            return
                "edition \(from.map { "\($0) became " } ?? "")\(sequence)\(way), \(SizeFormat.bytes(loaded)) loaded"
        case .rejected(let newest, let sequence):
            return
                "edition \(sequence) remains, since --back rejected edition \(newest); a higher edition will replace it"
        }
    }

    /// Returns the outcome of rolling back for people.
    ///
    /// - Parameter records: the paths of the sequence records that were changed.
    func textOfGoingBack(records: [String]) -> String {
        guard case .updated(let from, let sequence, _, _) = self else { return text }
        let record =
            records.isEmpty
            ? "no sequence record was changed" : "the record \(records.joined(separator: " and ")) permits it"
        guard let from, from > sequence else { return "edition \(sequence) is back; \(record)" }
        return "edition \(sequence) is back, and \(record); edition \(from) will not be reinstalled"
    }

    /// The outcome for programs.
    var json: [String: JSONValue] {
        switch self {
        case .current(let sequence):
            ["updated": .bool(false), "sequence": .number(sequence)]
        case .rejected(let newest, let sequence):
            ["updated": .bool(false), "sequence": .number(sequence), "rejected": .number(newest)]
        case .updated(let from, let sequence, let patches, let loaded):
            [
                "updated": .bool(true), "from": .number(from), "sequence": .number(sequence),
                "patches": .number(patches), "loaded": .number(loaded),
            ]
        }
    }
}
