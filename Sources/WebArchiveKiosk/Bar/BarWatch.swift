// SPDX-License-Identifier: Apache-2.0

/// A judgement of whether a page's bar is lost: a single look may fall between a page's doing and its repair.
struct BarWatch: Sendable {
    /// The result of one look, as the page's script gives it.
    enum Sight: String, Sendable {
        case shown, hidden
        /// The bar is where a visitor can reach it, and nothing has been painted since; or there is nothing yet in which it could stand.
        case unknown
    }

    /// The time between two looks.
    static let interval = Duration.milliseconds(250)
    /// A bar that is hidden for so long, in spite of all repairs, is lost.
    static let patience = Duration.milliseconds(750)
    /// A page that paints nothing may still be loading.
    static let paintingPatience = Duration.seconds(3)

    private var firstFault: Duration?
    private var firstHidden: Duration?

    /// Takes the result of a look, and tells whether the bar is lost; then it begins again.
    ///
    /// - Parameters:
    ///   - sight: nil for a document that has no bar.
    ///   - now: the time since any start.
    mutating func isLost(after sight: Sight?, at now: Duration) -> Bool {
        guard let sight, sight != .shown else {
            self = BarWatch()
            return false
        }
        firstFault = firstFault ?? now
        if sight == .hidden { firstHidden = firstHidden ?? now }
        let isLost =
            firstFault.map { now - $0 >= Self.paintingPatience } == true
            || sight == .hidden && firstHidden.map { now - $0 >= Self.patience } == true
        if isLost { self = BarWatch() }
        return isLost
    }
}
