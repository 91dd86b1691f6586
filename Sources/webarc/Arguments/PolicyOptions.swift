// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchiveURLProtocol

/// Where an answer comes from.
struct PolicyOptions: ParsableArguments {
    enum Name: String, ExpressibleByArgument, CaseIterable {
        case archiveOnly = "archive-only"
        case archiveFirst = "archive-first"
        case networkFirst = "network-first"
        case staleWhileRevalidate = "stale-while-revalidate"
        case http
        case networkOnly = "network-only"
    }

    @Option(help: ArgumentHelp("Where the answer comes from.", valueName: "policy"))
    var policy = Name.archiveFirst

    @Option(
        help: ArgumentHelp(
            "With stale-while-revalidate: for how long a stored answer is used as it is. (default: 60s)",
            valueName: "time"))
    var freshFor: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "With stale-while-revalidate: after how long it is not used any more. (default: 2d)", valueName: "time"))
    var expiresAfter: DurationArgument?

    @Flag(help: "Behave as without a network.")
    var offline = false

    private var ages: (fresh: Duration, expired: Duration) {
        (freshFor?.duration ?? .seconds(60), expiresAfter?.duration ?? .seconds(2 * 86_400))
    }

    func validate() throws {
        if policy == .staleWhileRevalidate {
            guard ages.fresh <= ages.expired else {
                throw ValidationError("--fresh-for is longer than --expires-after")
            }
        } else if freshFor != nil || expiresAfter != nil {
            throw ValidationError("--fresh-for and --expires-after go with --policy stale-while-revalidate")
        }
    }

    var value: ArchivePolicy {
        switch policy {
        case .archiveOnly: .archiveOnly
        case .archiveFirst: .archiveFirst
        case .networkFirst: .networkFirst
        case .staleWhileRevalidate: .staleWhileRevalidate(freshFor: ages.fresh, expiresAfter: ages.expired)
        case .http: .http
        case .networkOnly: .networkOnly
        }
    }
}
