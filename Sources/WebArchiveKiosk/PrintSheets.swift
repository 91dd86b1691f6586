// SPDX-License-Identifier: Apache-2.0

/// A detector of a page that opens the sheet for printing as soon as a visitor has closed it. The visitor can neither use nor leave it.
struct PrintSheets: Sendable {
    /// The number of such sheets in a row that is too many.
    static let maximumCount = 3
    /// The time after the end of a sheet in which the next is in a row with it.
    static let patience = Duration.seconds(3)

    private var present: String?
    private var lastEnd: Duration?
    private var count = 0

    /// Takes a report of a sheet that is open, and returns whether it is one too many.
    ///
    /// - Parameters:
    ///   - target: its identifier; a sheet may be reported several times.
    ///   - now: the time since any start.
    mutating func opened(_ target: String, at now: Duration) -> Bool {
        guard target != present else { return false }
        present = target
        count = lastEnd.map { now - $0 < Self.patience } == true ? count + 1 : 1
        return count >= Self.maximumCount
    }

    /// Takes a report of the end of a target.
    mutating func closed(_ target: String?, at now: Duration) {
        guard let target, target == present else { return }
        (present, lastEnd) = (nil, now)
    }
}
