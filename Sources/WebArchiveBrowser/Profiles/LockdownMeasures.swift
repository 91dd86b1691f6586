// SPDX-License-Identifier: Apache-2.0

/// The measures that keep a browser's visitors in the archive. Each independently refuses addresses of other programs; all are used
/// except by tests, which prove each of them.
package struct LockdownMeasures: OptionSet, Sendable {
    /// The bits of the set.
    package let rawValue: Int

    /// Creates a set from its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The policies of ``ChromiumPolicy``.
    package static let policies = LockdownMeasures(rawValue: 1)
    /// The environment of ``BrowserEnvironment``.
    package static let environment = LockdownMeasures(rawValue: 2)
    /// The script of ``PageScript``.
    package static let pageScript = LockdownMeasures(rawValue: 4)

    /// All measures.
    package static let all: LockdownMeasures = [.policies, .environment, .pageScript]
}
