// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import WebArchive

/// The options that switch rules of matching off. Specification section 8.5.
package struct RuleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Disable a rule of matching, by the name that webarc why --json prints: cacheBusters, sessionIDs, queryOfFile and similarContent are for \
            recordings of the web. May be given several times.
            """, valueName: "rule"))
    package var withoutRule: [String] = []

    /// The rules that are left of all.
    package var rules: Set<MatchRule> { Set(MatchRule.allCases).subtracting(withoutRule.compactMap(MatchRule.init)) }

    package func validate() throws {
        let names = MatchRule.allCases.filter { $0 != .exact }.map(\.rawValue)
        for name in withoutRule where !names.contains(name) {
            throw ValidationError("--without-rule takes \(names.joined(separator: ", ")), not '\(name)'")
        }
    }

    package init() {}
}
