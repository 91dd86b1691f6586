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

    func apply(to request: URLRequest, isMetered: Bool) -> RuleOutcome {
        guard !rules.isEmpty else { return .proceed(request, Shaping()) }
        var asked = RuleRequest(request, isMetered: isMetered)
        var shaping = Shaping()
        if let answer = substitute(asked) { return .local(answer, shaping) }
        for rule in rules where rule.condition.holds(asked) {
            switch rule.action {
            case .change(let change):
                let url = asked.request.url
                asked = RuleRequest(change(asked.request), isMetered: isMetered)
                if asked.request.url != url, let answer = substitute(asked) {
                    return .local(answer, shaping)
                }
            case .block(let code):
                return .block(URLError(code, asked.request.url, "blocked by a rule"))
            case .answer(let answer):
                if let answer = answer(asked.request) { return .local(answer, shaping) }
            case .shape(let shape):
                shape(&shaping)
            case .substitute:
                break
            }
        }
        return .proceed(asked.request, shaping)
    }

    private func substitute(_ asked: RuleRequest) -> LocalAnswer? {
        guard let url = asked.url else { return nil }
        for rule in substitutions where rule.condition.holds(asked) {
            if case .substitute(let answers) = rule.action, let answer = answers[url] { return answer }
        }
        return nil
    }
}

extension RuleOutcome {
    /// An answer of the app's own, its delay added to what else keeps it back.
    static func local(_ answer: LocalAnswer, _ shaping: Shaping) -> RuleOutcome {
        var shaping = shaping
        shaping.delay += max(.zero, answer.delay)
        return .answer(answer, shaping)
    }
}
