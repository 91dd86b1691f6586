// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension ReplaySite {
    /// Redirects that browsers follow (Fetch standard, section 4.4).
    private static let mostRedirects = 20

    /// Whether the main page is there, at the end of its redirects if it is one, and at another URL than a page that leads to it.
    func mainPageLeads(elsewhereThan url: CanonicalURL, within budget: DecodingBudget) -> Bool {
        var target = mainPage
        for _ in 0...Self.mostRedirects where target != url {
            let request = MatchRequest(url: target, method: "GET", headers: HeaderFields([]), bodyDigest: nil)
            guard case .entry(let match, _)? = try? self.match(request, within: budget).response,
                let outline = try? match.entry.outline
            else { return false }
            guard outline.isRedirect else { return true }
            guard let next = try? match.entry.redirectURL else { return false }
            target = next
        }
        return false
    }
}
