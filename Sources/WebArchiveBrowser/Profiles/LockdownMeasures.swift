// SPDX-License-Identifier: Apache-2.0

/// The measures that keep a browser's visitors in the archive. Each refuses alone what leads to other programs; all are taken
/// but by tests, which prove each alone.
package struct LockdownMeasures: OptionSet, Sendable {
    /// The bits of the set.
    package let rawValue: Int

    /// Creates a set from its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// ``ChromiumPolicy``.
    package static let policies = LockdownMeasures(rawValue: 1)
    /// ``BrowserEnvironment``.
    package static let environment = LockdownMeasures(rawValue: 2)
    /// ``PageScript``.
    package static let pageScript = LockdownMeasures(rawValue: 4)

    /// All measures.
    package static let all: LockdownMeasures = [.policies, .environment, .pageScript]
}
