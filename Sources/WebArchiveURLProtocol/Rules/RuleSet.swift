// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The rules of a session, in their order.
struct RuleSet: Sendable {
    let rules: [RequestRule]
    private let substitutions: [RequestRule]

    init(_ rules: [RequestRule]) {
        self.rules = rules
        substitutions = rules.filter { if case .substitute = $0.action { true } else { false } }
    }

    /// Applies the rules in their order, each to the result of the earlier ones, until one blocks or responds.
    ///
    /// Substitutions are looked for first, and again when a rule has changed the URL.
    func apply(to request: URLRequest, isMetered: Bool) -> RuleOutcome {
        guard !rules.isEmpty else { return .proceed(request, NetworkConditioning()) }
        var inspected = InspectedRequest(request, isMetered: isMetered)
        var shaping = NetworkConditioning()
        if let response = substitute(inspected) { return .delayed(response, shaping) }
        for rule in rules where rule.condition.holds(inspected) {
            switch rule.action {
            case .change(let change):
                let url = inspected.request.url
                inspected = InspectedRequest(change(inspected.request), isMetered: isMetered)
                if inspected.request.url != url, let response = substitute(inspected) {
                    return .delayed(response, shaping)
                }
            case .block(let code):
                return .block(URLError(code, inspected.request.url, "blocked by a rule"))
            case .respond(let response):
                if let response = response(inspected.request) { return .delayed(response, shaping) }
            case .shape(let shape):
                shape(&shaping)
            case .substitute:
                break
            }
        }
        return .proceed(inspected.request, shaping)
    }

    private func substitute(_ inspected: InspectedRequest) -> LocalResponse? {
        guard let url = inspected.url else { return nil }
        for rule in substitutions where rule.condition.holds(inspected) {
            if case .substitute(let responses) = rule.action, let response = responses[url] { return response }
        }
        return nil
    }
}

extension RuleOutcome {
    /// Returns a response of the app's own, with its delay added to the others.
    static func delayed(_ response: LocalResponse, _ shaping: NetworkConditioning) -> RuleOutcome {
        var shaping = shaping
        shaping.delay += max(.zero, response.delay)
        return .respond(response, shaping)
    }
}

/// The outcome of a list of rules for a request.
enum RuleOutcome: Sendable {
    /// The request continues, possibly changed, and its response is delivered so.
    case proceed(URLRequest, NetworkConditioning)
    case block(URLError)
    /// The rule responds; the delay of the response itself is part of the shaping.
    case respond(LocalResponse, NetworkConditioning)
}
