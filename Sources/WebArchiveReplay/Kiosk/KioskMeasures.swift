// SPDX-License-Identifier: Apache-2.0

/// The measures that keep a browser's visitors in the archive. Each refuses alone what leads to other programs; all are taken
/// but by tests, which prove each alone.
struct KioskMeasures: OptionSet, Sendable {
    let rawValue: Int

    /// ``ChromiumPolicy``.
    static let policies = KioskMeasures(rawValue: 1)
    /// ``BrowserEnvironment``.
    static let environment = KioskMeasures(rawValue: 2)
    /// ``PageScript``.
    static let pageScript = KioskMeasures(rawValue: 4)

    static let all: KioskMeasures = [.policies, .environment, .pageScript]
}
