// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The output of `info --json`. Lengths are in bytes.
extension InfoReport {
    var json: JSONValue {
        get throws(ArchiveError) {
            let metadata = try reader.metadata()
            let members = metadata.keys.sorted { $0.precedesInBytes($1) }.map {
                JSONValue.Member(name: $0, value: .text(metadata[$0]))
            }
            return [
                "file": .string(file), "length": .number(statistics.fileLength),
                "entries": .number(reader.entryCount), "aliases": .number(statistics.aliases),
                "bodies": .number(reader.bodyCount),
                "dictionaries": .number(statistics.dictionaries), "metadata": .object(members),
                "space": [
                    "bodies": .number(statistics.bodiesStored), "dictionaries": .number(statistics.dictionariesStored),
                    "index": .number(statistics.indexLength), "other": .number(statistics.otherLength),
                    "tornTail": .number(statistics.tornTail),
                ],
                "bodyBytes": .number(statistics.all.bytes), "distinctBodyBytes": .number(statistics.distinctBytes),
                "saved": [
                    "deduplication": .number(statistics.savedByDeduplication),
                    "compression": .number(statistics.savedByCompression),
                    "dictionariesEstimate": .number(statistics.dictionarySavings),
                ],
                "mediaTypes": Self.groups(statistics.mediaTypes, "mediaType"),
                "directories": Self.groups(statistics.directories, "directory"),
                "commits": .array(statistics.commits.map(Self.commit)),
            ]
        }
    }

    private static func groups(_ groups: [String: ArchiveStatistics.Group], _ name: String) -> JSONValue {
        .array(
            ArchiveStatistics.largestFirst(groups).map { item in
                [
                    name: .string(item.name), "entries": .number(item.group.entries),
                    "bytes": .number(item.group.bytes), "stored": .number(item.group.stored),
                ]
            })
    }

    private static func commit(_ commit: ArchiveStatistics.Commit) -> JSONValue {
        [
            "number": .number(commit.number), "length": .number(commit.length), "entries": .number(commit.entries),
            "bodies": .number(commit.bodies),
        ]
    }
}
