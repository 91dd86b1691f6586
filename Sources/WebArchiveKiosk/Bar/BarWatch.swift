// SPDX-License-Identifier: Apache-2.0

/// A detector of a page's lost bar: a single check may fall between a page's change and its repair.
struct BarWatch: Sendable {
    /// The result of one check by the page's script.
    enum Sight: String, Sendable {
        case shown, hidden
        /// The bar is reachable for a visitor, and nothing has been painted since; or the page cannot contain it yet.
        case unknown
    }

    /// The interval between checks.
    static let interval = Duration.milliseconds(250)
    /// The time after which a bar that is hidden in spite of all repairs is lost.
    static let patience = Duration.milliseconds(750)
    /// The time after which a page that paints nothing is not loading any more.
    static let paintingPatience = Duration.seconds(3)

    /// The number of checks in ``paintingPatience`` with a hidden bar after which it is lost, though others showed it.
    static let maximumHiddenCount = 6

    private var firstFault: Duration?
    private var firstHidden: Duration?
    private var hidden: [Duration] = []

    /// Takes the result of a check, and returns whether the bar is lost; then it begins again.
    ///
    /// - Parameters:
    ///   - sight: nil for a document that has no bar.
    ///   - now: the time since any start.
    mutating func isLost(after sight: Sight?, at now: Duration) -> Bool {
        hidden.removeAll { now - $0 >= Self.paintingPatience }
        if sight == .hidden { hidden.append(now) }
        guard let sight, sight != .shown else {
            (firstFault, firstHidden) = (nil, nil)
            if sight == nil { hidden = [] }
            return false
        }
        firstFault = firstFault ?? now
        if sight == .hidden { firstHidden = firstHidden ?? now }
        let isLost =
            firstFault.map { now - $0 >= Self.paintingPatience } == true
            || sight == .hidden && firstHidden.map { now - $0 >= Self.patience } == true
            || hidden.count >= Self.maximumHiddenCount
        if isLost { self = BarWatch() }
        return isLost
    }
}
