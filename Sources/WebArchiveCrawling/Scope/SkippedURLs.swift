// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The URLs that a crawl did not visit, counted by the reason, with some examples of each.
public struct SkippedURLs: Sendable {
    /// The maximum number of examples of a reason.
    public static let maximumExampleCount = 10

    /// The number of URLs of each reason.
    public private(set) var counts: [SkipReason: Int] = [:]
    /// The first URLs of each reason.
    public private(set) var examples: [SkipReason: [CanonicalURL]] = [:]

    mutating func add(_ url: CanonicalURL, _ reason: SkipReason) {
        counts[reason, default: 0] += 1
        if examples[reason, default: []].count < Self.maximumExampleCount {
            examples[reason, default: []].append(url)
        }
    }

    /// Takes back a reason for a URL that is visited after all.
    mutating func remove(_ url: CanonicalURL, _ reason: SkipReason) {
        counts[reason, default: 1] -= 1
        examples[reason]?.removeAll { $0 == url }
    }
}
