// SPDX-License-Identifier: Apache-2.0

import WebArchivePresentation
import WebArchiveUpdates

extension ArchiveUpdater.Outcome {
    /// The outcome for people, to stand behind the name of the archive.
    var text: String {
        switch self {
        case .current(let sequence):
            return "edition \(sequence) is the newest"
        case .updated(let from, let sequence, let patches, let loaded):
            let way = patches == 0 ? "" : " by \(SizeFormat.count(patches, "patch", "patches"))"
            return
                "edition \(from.map { "\($0) became " } ?? "")\(sequence)\(way), \(SizeFormat.bytes(loaded)) loaded"
        }
    }

    /// The outcome for programs.
    var json: [String: JSONValue] {
        switch self {
        case .current(let sequence):
            ["updated": .bool(false), "sequence": .number(sequence)]
        case .updated(let from, let sequence, let patches, let loaded):
            [
                "updated": .bool(true), "from": .number(from), "sequence": .number(sequence),
                "patches": .number(patches), "loaded": .number(loaded),
            ]
        }
    }
}
