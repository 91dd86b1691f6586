// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The options that choose the source of a response.
package struct PolicyOptions: ParsableArguments {
    package enum Name: String, ExpressibleByArgument, CaseIterable {
        case archiveOnly = "archive-only"
        case archiveFirst = "archive-first"
        case networkFirst = "network-first"
        case staleWhileRevalidate = "stale-while-revalidate"
        case http
        case networkOnly = "network-only"
    }

    @Option(help: ArgumentHelp("The policy that selects the source of the response.", valueName: "policy"))
    package var policy = Name.archiveFirst

    @Option(
        help: ArgumentHelp(
            "With stale-while-revalidate: the age up to which a stored response is fresh. (default: 60s)",
            valueName: "time"))
    package var freshFor: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "With stale-while-revalidate: the age at which a stored response expires. (default: 2d)", valueName: "time")
    )
    package var expiresAfter: DurationArgument?

    @Flag(help: "Do not use the network.")
    package var offline = false

    package init() {}

    package var ages: (fresh: Duration, expired: Duration) {
        (freshFor?.duration ?? .seconds(60), expiresAfter?.duration ?? .seconds(2 * 86_400))
    }

    package func validate() throws {
        if policy == .staleWhileRevalidate {
            guard ages.fresh <= ages.expired else {
                throw ValidationError("--fresh-for is longer than --expires-after; give a shorter time")
            }
        } else if freshFor != nil || expiresAfter != nil {
            throw ValidationError("--fresh-for and --expires-after need --policy stale-while-revalidate")
        }
    }
}
