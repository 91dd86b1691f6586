// SPDX-License-Identifier: Apache-2.0

/// A list of warnings of which a source may cause any number: the first 100 of a run are reported individually, and so is the first of each
/// code; the others are counted.
struct LimitedWarnings: Sendable {
    /// The number of warnings after which only the first one of a code is still reported.
    private static let most = 100
    /// The reported warnings, in the order in which they came.
    private var told: [PackingWarning] = []
    /// The codes of the warnings so far.
    private var codes: Set<PackingWarning.Code> = []
    /// The number of warnings that are only counted.
    private var moreCount = 0

    /// Adds a warning.
    ///
    /// - Parameter warning: the warning, which is created only if it is reported; its code is `code`.
    mutating func add(_ code: PackingWarning.Code, _ warning: @autoclosure () -> PackingWarning) {
        if codes.insert(code).inserted || told.count < Self.most { told.append(warning()) } else { moreCount += 1 }
    }

    /// Returns the reported warnings, and one more for all others, if there are others.
    ///
    /// - Parameters:
    ///   - code: the code of the one more.
    ///   - others: a noun phrase that follows the number of the others.
    func warnings(_ code: PackingWarning.Code, _ others: String, path: String) -> [PackingWarning] {
        moreCount == 0 ? told : told + [PackingWarning(code, "\(moreCount) more \(others)", path: path)]
    }
}
