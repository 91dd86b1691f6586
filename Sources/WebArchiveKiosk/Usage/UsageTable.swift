// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A table of the use of a kiosk on each day. It has only numbers: neither addresses nor times of day.
struct UsageTable: Sendable, Equatable {
    /// The numbers of one day.
    struct Counts: Sendable, Equatable {
        private var numbers = [Int](repeating: 0, count: UsageCount.allCases.count)

        subscript(count: UsageCount) -> Int {
            get { numbers[count.place] }
            set { numbers[count.place] = newValue }
        }
    }

    /// The counts by date, as `2026-11-24`.
    private(set) var days: [String: Counts] = [:]

    /// The number of days that are kept: three years.
    static let maximumDayCount = 1100
    /// The maximum length of a kiosk's file, in bytes.
    static let maximumFileLength = 1 << 20

    private static let header = (["date"] + UsageCount.allCases.map(\.name)).joined(separator: ",")

    init() {}

    /// Reads a table; nil for any other text. A damaged row is left out, since the kiosk must continue counting.
    ///
    /// - Parameter text: the CSV, by RFC 4180.
    init?(csv text: String) {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first.map(String.init) == Self.header else { return nil }
        for line in lines.dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            let numbers = fields.dropFirst().compactMap { Int($0) }
            guard fields.count == UsageCount.allCases.count + 1, numbers.count == fields.count - 1,
                numbers.allSatisfy({ (0...1_000_000_000_000).contains($0) }), Self.isDate(fields[0])
            else { continue }
            var counts = Counts()
            for (count, number) in zip(UsageCount.allCases, numbers) { counts[count] = number }
            days[String(fields[0])] = counts
        }
        forgetOldDays()
    }

    private static func isDate(_ text: Substring) -> Bool { text.wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) != nil }

    /// The table by RFC 4180, the oldest day first.
    var csv: String {
        let rows = days.sorted { $0.key < $1.key }.map { date, counts in
            ([date] + UsageCount.allCases.map { String(counts[$0]) }).joined(separator: ",")
        }
        return ([Self.header] + rows).map { $0 + "\r\n" }.joined()
    }

    var json: JSONValue {
        .array(
            days.sorted { $0.key < $1.key }.map { date, counts in
                .object([.init(name: "date", value: .string(date))] + counts.members)
            })
    }

    mutating func add(_ count: UsageCount, on date: String) {
        let isNew = days[date] == nil
        days[date, default: Counts()][count] += 1
        if isNew { forgetOldDays() }
    }

    private mutating func forgetOldDays() {
        for date in days.keys.sorted().dropLast(Self.maximumDayCount) { days[date] = nil }
    }
}

extension UsageTable.Counts {
    var members: [JSONValue.Member] {
        UsageCount.allCases.map { .init(name: $0.name, value: .number(self[$0])) }
    }
}

/// A count of a kiosk.
enum UsageCount: String, CaseIterable, Sendable {
    case pages, misses, idleResets, browserRestarts

    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The name in columns and metrics.
    var name: String {
        switch self {
        case .pages, .misses: rawValue
        case .idleResets: "idle_resets"
        case .browserRestarts: "browser_restarts"
        }
    }

    var help: String {
        switch self {
        case .pages: "Pages shown to visitors."
        case .misses: "Pages that visitors requested and no archive has."
        case .idleResets: "Returns to the main page from a page that nobody used, or that removed the bar."
        case .browserRestarts: "Restarts of the browser after it or its page failed."
        }
    }
}
