// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchiveFormat

/// A check that follows redirects within the archive: those that form a loop, are too many, or lead to a missing page.
///
/// A target on a host without entries in the archive is not looked up.
struct RedirectChecks {
    let archive: ArchiveReader
    let firstOfKey: [AtomicBits]
    /// The matcher, for targets that need rules of matching or those of the publisher.
    private let matcher: SiteMatcher

    /// The number of targets for which the matcher may still be used.
    private let questions: Questions

    private final class Questions: Sendable {
        private let left: Atomic<Int>

        init(_ count: Int) { left = Atomic(count) }

        /// Takes one, and returns whether there was one left.
        func take() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
    }

    init(archive: ArchiveReader, firstOfKey: [AtomicBits]) {
        self.init(archive, firstOfKey, SiteMatcher([ArchiveMatcher(archive, options: .serving)]), Questions(0))
    }

    private init(
        _ archive: ArchiveReader, _ firstOfKey: [AtomicBits], _ matcher: SiteMatcher, _ questions: Questions
    ) {
        (self.archive, self.firstOfKey, self.matcher, self.questions) = (archive, firstOfKey, matcher, questions)
    }

    /// The maximum number of targets of an archive that its redirect rules are tried for, each of which may take milliseconds. The others
    /// count as missing.
    private static let maximumQueryCount = 200

    /// The cost of trying all rules for one target, in bytes of the budget.
    private static let matchingCost = 16 << 10

    /// The number of redirects after which browsers stop.
    private static let maximumHops = 20

    /// Follows the redirects of all entries, in parts with separate budgets.
    func run(_ parallel: ParallelWork, into log: inout FindingLog) {
        // Shared out by rows, so that findings do not depend on threads.
        let rowCount = UInt64(max(1, archive.index.rowCount(.entry)))
        // Rows that take hardly a byte pay for no more than the file does.
        let total = min(
            rowCount.multipliedSaturated(by: 2048), archive.fileLength.multipliedSaturated(by: 128)
        ).addingSaturated(32 << 20)
        let perRow = Int(clamping: total / rowCount)
        for (number, commit) in archive.index.commits.enumerated() {
            guard commit.rowCount(.redirect) > 0 || number > 0 else { continue }
            parallel.forEachPart(of: commit.entryCount, in: archive.index, into: &log) { rows in
                var log = FindingLog(limit: FindingLog.partLimit)
                let budget = DecodingBudget(for: "following redirects", bytes: rows.count * perRow)
                let share =
                    matcher.hasRules ? max(4, Self.maximumQueryCount * rows.count / Int(clamping: rowCount)) : .max
                let part = RedirectChecks(archive.limited(to: budget), firstOfKey, matcher, Questions(share))
                for row in rows {
                    do throws(ArchiveError) {
                        let place = RowPlace(commit: UInt32(number), row: UInt32(row))
                        if let finding = try part.finding(at: place) { log.add(finding) }
                    } catch  where error.code == .limitExceeded {
                        log.add(
                            VerificationFinding(
                                .redirectsNotFollowed, .warning,
                                "some redirects exceeded the budget and were not followed"))
                        break
                    } catch {
                        // Rows that cannot be read have been reported.
                    }
                }
                return log
            }
        }
    }

    private func finding(at place: RowPlace) throws(ArchiveError) -> VerificationFinding? {
        let entry = ArchiveEntry(place, of: archive)
        guard let (keys, _) = try entry.answerRow, keys.status.owner == .redirect,
            try entry.role.isServed, try entry.isFor(method: "GET", bodyDigest: nil), !(try isOlderCapture(place))
        else { return nil }
        let start = try entry.canonicalURL
        guard try newestServed(start).map(\.place) == place, let target = try target(of: entry) else { return nil }
        return try follow(target, from: start)
    }

    /// Returns the newest entry for a `GET` of a URL. It searches each commit, which costs about as much as decoding a short key.
    private func newestServed(_ url: CanonicalURL) throws(ArchiveError) -> ArchiveEntry? {
        try archive.index.budget?.take(archive.index.commits.count * 16)
        return try archive.newestServed(url)
    }

    /// Returns whether the previous entry is a capture of the same request, which is then newer.
    private func isOlderCapture(_ place: RowPlace) throws(ArchiveError) -> Bool {
        let row = Int(place.row)
        guard row > 0, !firstOfKey[Int(place.commit)].contains(row) else { return false }
        let before = ArchiveEntry(RowPlace(commit: place.commit, row: place.row - 1), of: archive)
        guard try before.role.isServed else { return false }
        return try before.isFor(method: "GET", bodyDigest: nil)
    }

    private func target(of entry: ArchiveEntry) throws(ArchiveError) -> CanonicalURL? {
        guard let (keys, row) = try entry.answerRow, keys.status.owner == .redirect,
            let text = try archive.index.string(.redirectTarget, row)
        else { return nil }
        // Percent-encoding each byte takes several times as long as reading it.
        try archive.index.budget?.take(8 * text.count)
        return try? CanonicalURL(utf8: text)
    }

    private func follow(_ first: CanonicalURL, from start: CanonicalURL) throws(ArchiveError) -> VerificationFinding? {
        var path = [start]
        var next = first
        for _ in 0..<Self.maximumHops {
            if next == start { return circle(path) }
            // A circle that does not come back to the start is reported where it does.
            if path.contains(next) { return nil }
            guard let entry = try newestServed(next) else {
                return path.count == 1 ? try missing(next, from: start) : nil
            }
            guard let target = try target(of: entry) else { return nil }
            path.append(next)
            next = target
        }
        return VerificationFinding(
            .tooManyRedirects, .warning, "more than \(Self.maximumHops) consecutive redirects",
            url: start.description)
    }

    /// Returns the finding of a loop, which only its first URL reports.
    private func circle(_ path: [CanonicalURL]) -> VerificationFinding? {
        guard let start = path.first, path.min() == start else { return nil }
        let list = (path + [start]).map(\.description).joined(separator: " -> ")
        return VerificationFinding(
            .redirectLoop, .warning, "redirect loop: \(list)", url: start.description)
    }

    private func missing(_ target: CanonicalURL, from start: CanonicalURL) throws(ArchiveError) -> VerificationFinding?
    {
        guard let authority = target.authority else { return nil }
        if questions.take() {
            try archive.index.budget?.take(Self.matchingCost)
            let result = try? matcher.match(MatchRequest(url: target), within: .forQuickRequest())
            guard result?.response == nil else { return nil }
        }
        var schemes = [Array(target.scheme)]
        if let other = target.otherScheme { schemes.append(Array(other.scheme)) }
        for scheme in schemes where try archive.holdsKey(startingWith: scheme + "://".utf8 + authority + "/".utf8) {
            return VerificationFinding(
                .redirectTargetMissing, .warning, "redirect to \(target), which is not in the archive",
                url: start.description)
        }
        return nil
    }
}

extension ArchiveReader {
    /// Returns whether there is an entry whose key starts with `prefix`.
    fileprivate func holdsKey(startingWith prefix: [UInt8]) throws(ArchiveError) -> Bool {
        for commit in index.commits {
            let row = try prefix.withBytes { (bytes) throws(ArchiveError) in
                try commit.lowerBound(bytes, index.budget)
            }
            if row < commit.entryCount, try commit.key(row).starts(with: prefix) { return true }
        }
        return false
    }
}
