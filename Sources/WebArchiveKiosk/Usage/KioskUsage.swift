// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation
package import Logging
import Synchronization
package import SystemPackage
package import WebArchive
package import WebArchiveServer

/// The usage of a kiosk: counts since its start, and by days in a file that outlives it.
package final class KioskUsage: Sendable {
    private struct State {
        var total = UsageTable.Counts()
        var table: UsageTable
        /// Whether the next page is the main page that the kiosk itself opens in a new browser.
        var awaitsOwnPage = false
        var isScheduled = false
        /// Whether a failed write was already reported.
        var isFailing = false
    }

    private let file: FilePath?
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let state: Mutex<State>
    private let start: Date
    private let queue = DispatchQueue(label: "webarc.usage", qos: .utility)

    /// The maximum time of counts that are lost in a power failure.
    private static let delay = DispatchTimeInterval.seconds(60)

    /// Continues the counts of a file.
    ///
    /// - Parameters:
    ///   - file: the file, which is created with the first count; nil for none. A file that is not a table of a kiosk is not changed, with a warning.
    ///   - now: the time, whose day in the local time zone counts.
    package init(file: FilePath?, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.logger, self.now, start) = (logger, now, now())
        var table = UsageTable()
        var usable = file
        if let file, let status = FileStatus(of: file) {
            if status.identity.length <= UInt64(UsageTable.maximumFileLength),
                let text = try? String(contentsOfFile: file.string, encoding: .utf8),
                let found = text.isEmpty ? UsageTable() : UsageTable(csv: text)
            {
                table = found
            } else {
                logger.warning("\(file) is not a usage file; usage is not recorded")
                usable = nil
            }
        }
        self.file = usable
        state = Mutex(State(table: table))
    }

    /// Counts in memory, and schedules a write of the file within a minute.
    func add(_ count: UsageCount, times: Int = 1) {
        guard times > 0 else { return }
        let date = Self.date(now())
        let isFirst = state.withLock { state in
            for _ in 0..<times {
                state.total[count] += 1
                state.table.add(count, on: date)
            }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst, file != nil { queue.asyncAfter(deadline: .now() + Self.delay) { self.write() } }
    }

    /// Notes the start of a browser, whose first page is the kiosk's.
    func browserStarts() { state.withLock { $0.awaitsOwnPage = true } }

    /// Notes a page that the browser requests.
    package func note(_ navigation: ReplayService.Navigation) {
        guard !navigation.isRedirect else { return }
        let isOwn = state.withLock { state in
            defer { state.awaitsOwnPage = false }
            return state.awaitsOwnPage
        }
        guard !isOwn else { return }
        add(navigation.isMissing ? .misses : .pages)
    }

    /// Writes the counts that are not in the file yet.
    package func flush() { queue.sync { write() } }

    /// Writes the table if it has changed; a failure is reported once, until writing works again.
    private func write() {
        let (text, isNew) = state.withLock { state in
            defer { state.isScheduled = false }
            return (state.table.csv, state.isScheduled)
        }
        guard let file, isNew else { return }
        do throws(ArchiveError) {
            try PrivateFile.makeFolder(file.removingLastComponent())
            try PrivateFile.write(
                text, to: file, permissions: [.ownerReadWrite, .groupRead, .otherRead], replacing: true)
            state.withLock { $0.isFailing = false }
        } catch {
            let isTold = state.withLock { state in
                defer { state.isFailing = true }
                return state.isFailing
            }
            if !isTold { logger.warning("cannot write the usage counts: \(error)") }
        }
    }

    private static func date(_ time: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .autoupdatingCurrent
        let day = calendar.dateComponents([.year, .month, .day], from: time)
        return [(day.year ?? 0, 4), (day.month ?? 0, 2), (day.day ?? 0, 2)].map { number, width in
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        }.joined(separator: "-")
    }

    /// The metrics for `/-/metrics`.
    package var metrics: [ProgramUsage.Metric] {
        let total = state.withLock { $0.total }
        return UsageCount.allCases.map { .init(name: "kiosk_\($0.name)_total", help: $0.help, value: total[$0]) }
    }

    /// The JSON for `/-/usage`: since the start, and by days.
    package var json: JSONValue {
        let (total, table) = state.withLock { ($0.total, $0.table) }
        return [
            "started": .number(Int64(start.timeIntervalSince1970)), "sinceStart": .object(total.members),
            "days": table.json,
        ]
    }
}
