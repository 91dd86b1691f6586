// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import WebArchive

/// The option for the country of a site's rules.
package struct CountryOption: ParsableArguments {
    @Option(
        name: .customLong("country"),
        help: ArgumentHelp(
            "The client's country, for redirect rules with a Country condition: two letters, such as DE. (default: none)",
            valueName: "code"))
    package var value: String?

    package func validate() throws {
        guard let value else { return }
        guard value.utf8.count == 2, value.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }) else {
            throw ValidationError("--country takes an ISO 3166 code of two letters, such as DE, not '\(value)'")
        }
    }

    package init() {}
}
