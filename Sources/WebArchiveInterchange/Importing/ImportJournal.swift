// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The calls of an import that commits several times, by which a later run with the same files continues behind the last commit.
///
/// An import makes the same calls for the same files. So the later run reads the files from the beginning, passes over as many calls of each kind as are
/// in the archive, and finds their bodies there: nothing is compressed or written again, and all that an import keeps in memory is as it was.
struct ImportJournal {
    /// The numbers of calls of each kind.
    struct Calls: Equatable {
        var entries = 0
        var records = 0
        var pages = 0
        var metadata = 0
    }

    /// The MD5 of the files and the options.
    let inputs: ContentDigest
    /// The length of the archive before the import; 0 for a new one.
    let start: UInt64
    /// The number of commits in the archive.
    var commitCount: Int
    /// The calls so far.
    private(set) var calls = Calls()
    /// The calls of earlier runs that were not made again yet.
    private var left = Calls()
    /// The numbers in the archive of entries that records which are not written yet belong to, by the numbers of entries before them.
    var waiting: [Int: UInt32] = [:]

    /// The name of the metadata value with the counts; not part of the specification.
    static let stateName = "x-import"
    /// The version of the order of calls. It changes with any change of the order in which an import stores.
    private static let version = 1

    /// Creates a journal without calls.
    init(of inputs: ContentDigest, start: UInt64, commitCount: Int) {
        (self.inputs, self.start, self.commitCount) = (inputs, start, commitCount)
    }

    /// Reads the journal of an unfinished import; nil if the archive is none of these inputs, or was changed since.
    ///
    /// - Throws: `damaged`, `io`.
    init?(_ archive: ArchiveReader, of inputs: ContentDigest) throws(ArchiveError) {
        guard let text = try archive.metadata()[Self.stateName], let state = try? JSONText.value(Array(text.utf8))
        else {
            return nil
        }
        func number(_ name: String) -> Int? { state[name]?.wholeNumber.flatMap { $0 >= 0 ? Int($0) : nil } }
        guard number("version") == Self.version, state["inputs"]?.text == inputs.description,
            number("commits") == archive.commitCount, let start = number("start"), let entries = number("entries"),
            let records = number("records"), let pages = number("pages"), let metadata = number("metadata")
        else { return nil }
        self.init(of: inputs, start: UInt64(start), commitCount: archive.commitCount)
        calls = Calls(entries: entries, records: records, pages: pages, metadata: metadata)
        left = calls
        for pair in state["waiting"]?.items ?? [] {
            let items = pair.items
            guard items.count == 2, let entry = items[0].wholeNumber,
                let number = items[1].wholeNumber.flatMap({ UInt32(exactly: $0) })
            else { return nil }
            waiting[entry] = number
        }
    }

    /// The state after the next commit.
    var state: String {
        let members: JSONValue = [
            "version": .number(Self.version), "inputs": .string(inputs.description), "start": .number(start),
            "commits": .number(commitCount + 1), "entries": .number(calls.entries), "records": .number(calls.records),
            "pages": .number(calls.pages), "metadata": .number(calls.metadata),
            "waiting": .array(
                waiting.sorted { $0.key < $1.key }.map { .array([.number($0.key), .number($0.value)]) }),
        ]
        return members.line
    }

    /// Whether calls of earlier runs are passed over.
    var isPassingOver: Bool { left != Calls() }

    /// Counts a call.
    ///
    /// - Returns: whether an earlier run has made it.
    /// - Throws: `changed` if the calls are not those of the earlier run.
    mutating func passesOver(_ kind: WritableKeyPath<Calls, Int>) throws(ArchiveError) -> Bool {
        guard isPassingOver else {
            calls[keyPath: kind] += 1
            return false
        }
        guard left[keyPath: kind] > 0 else { throw Self.changed }
        left[keyPath: kind] -= 1
        return true
    }

    static var changed: ArchiveError {
        ArchiveError(
            .changed,
            "the archive and the files are not as the unfinished import left them; delete the archive, or import to another one"
        )
    }
}
