// SPDX-License-Identifier: Apache-2.0

/// A survey of a whole archive: the entries that can be requested, the space they take, and the least recently used of them.
struct ArchiveSurvey {
    /// A capture that a request can find.
    private struct Capture {
        let position: EntryPosition
        let key: RequestKey
        let lastUse: ArchiveTime
        let time: ArchiveTime?
        /// The numbers of its bodies.
        let bodies: [Int]
    }

    /// The approximate length of the file with only the captures that requests can find.
    private(set) var keptLength: UInt64 = 0
    /// The number of captures that requests can find.
    private(set) var keptCount = 0
    /// The captures that no request can find any more.
    private(set) var hidden: Set<EntryPosition> = []
    /// The captures, if they are removed by their last uses.
    private var captures: [Capture] = []
    private var bodies: [Int: Body] = [:]
    /// The average length of an entry in the index.
    private let entryLength: UInt64

    private struct Body {
        let length: UInt64
        var useCount: Int
    }

    /// - Parameter uses: the times of last uses; nil if nothing will be removed by them. A capture without such a time and without a time of capture
    ///   counts as used now.
    /// - Throws: `damaged` or `io`.
    init(
        _ archive: ArchiveReader, _ retention: CaptureRetention, uses: UseTimes?, now: ArchiveTime
    ) throws(ArchiveError) {
        let stored = StoredArchive(archive)
        let blocksLength = stored.commits.reduce(0) { $0 + $1.blocksLength }
        entryLength = (archive.fileLength - blocksLength) / UInt64(max(archive.entryCount, 1))
        try archive.forEachURL { entries throws(ArchiveError) in
            let kept = try retention.kept(entries)
            keptCount += kept.count
            guard let uses else {
                for entry in kept { _ = try add(entry) }
                return
            }
            hidden.formUnion(entries.map(\.position))
            hidden.subtract(kept.map(\.position))
            let reusable = retention.keepsHistory ? try retention.reusable(entries) : kept
            let positions = Set(reusable.map(\.position))
            for entry in kept {
                let numbers = try add(entry)
                guard try entry.role.isServed else { continue }
                let key = try entry.requestKey
                let time = try entry.time
                // The variants of a request age together; captures hidden by newer ones are not requested.
                let use = positions.contains(entry.position) ? uses[key] : nil
                captures.append(
                    Capture(
                        position: entry.position, key: key, lastUse: [use, time].compactMap(\.self).max() ?? now,
                        time: time, bodies: numbers))
            }
        }
        keptLength =
            bodies.values.reduce(0) { $0 + $1.length } + UInt64(keptCount) * entryLength
            + UInt64(FormatLimits.headerLength)
    }

    /// Counts an entry and its bodies; a body that several share counts once. Returns the numbers of its bodies.
    private mutating func add(_ entry: ArchiveEntry) throws(ArchiveError) -> [Int] {
        var numbers: [Int] = []
        for case let body? in [try entry.body, try entry.requestBody] {
            let number = body.number
            numbers.append(number)
            if bodies[number] == nil {
                // The part of a shared block is rounded down.
                bodies[number] = Body(length: try body.storedLength + 1, useCount: 0)
            }
            bodies[number]?.useCount += 1
        }
        return numbers
    }

    // MARK: - Removing

    /// A limit by which entries are removed.
    struct Limit {
        var count: Int?
        var length: UInt64?
        /// The time of last use before which exchanges are removed.
        var oldest: ArchiveTime?
    }

    /// Removes the least recently used captures until the rest fits. Returns the positions of the removed ones, including hidden captures: without
    /// the captures that hid them, they would be found again.
    mutating func evict(_ limit: Limit) -> Set<EntryPosition> {
        captures.sort { left, right in
            if left.lastUse != right.lastUse { return left.lastUse < right.lastUse }
            return (left.time?.nanoseconds ?? .min, left.position) < (right.time?.nanoseconds ?? .min, right.position)
        }
        var count = 0
        for capture in captures {
            let isUnused = limit.oldest.map { capture.lastUse < $0 } ?? false
            let isTooMany = limit.count.map { keptCount > $0 } ?? false
            let isTooLong = limit.length.map { keptLength > $0 } ?? false
            guard isUnused || isTooMany || isTooLong else { break }
            remove(capture)
            count += 1
        }
        guard count > 0 else { return [] }
        captures.removeFirst(count)
        return hidden
    }

    /// Removes a capture from the count; its bodies are removed with the last capture that uses them.
    private mutating func remove(_ capture: Capture) {
        hidden.insert(capture.position)
        keptCount -= 1
        keptLength -= min(entryLength, keptLength)
        for number in capture.bodies {
            guard var body = bodies[number] else { continue }
            body.useCount -= 1
            bodies[number] = body.useCount > 0 ? body : nil
            if body.useCount == 0 { keptLength -= min(body.length, keptLength) }
        }
    }

    /// The requests with kept captures.
    var keptKeys: Set<RequestKey> { Set(captures.map(\.key)) }
}
