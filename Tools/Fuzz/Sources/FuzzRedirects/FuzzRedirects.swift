// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive

/// `_redirects` files: reading them, and where they send requests.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRedirects(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(RuleFileError) {
            let rules = try RedirectRules(parsing: text)
            let again = try? RedirectRules(parsing: text)
            expect(again?.rules == rules.rules && again?.warnings == rules.warnings, "other rules this time")
            check(rules)
        } catch {
            expect(!error.description.isEmpty && error.line >= 0, "an error that says nothing")
            expect((try? RedirectRules(parsing: text)) == nil, "no error this time")
        }
    }
}

private func check(_ rules: RedirectRules) {
    for rule in rules.rules { check(rule) }
    for path in requestPaths(for: rules.rules.map(\.source)) {
        for (query, host) in [(nil, nil), ("id=1&q=%0a+x#", "a.b:8080"), (queryText(rules), "site.example")] {
            // A client for which some conditions hold.
            let client = RuleClient(["Accept-Language": "de", "Cookie": "a=1"], country: "at")
            let match = rules.match(path: path, query: query, host: host, client: client)
            expect(
                match == rules.match(path: path, query: query, host: host, client: client), "another match this time")
            guard let match else { continue }
            expect(rules.rules.contains(match.rule), "a rule from elsewhere")
            checkTarget(match)
        }
    }
}

private func check(_ rule: RedirectRule) {
    let isStatus = [200, 301, 302, 303, 307, 308].contains(rule.status) || (400...599).contains(rule.status)
    expect(isStatus, "a rule of status \(rule.status) that should not be honoured")
    // A target may be too long for any path.
    guard let path = rule.staticPath, rule.target.utf8.count < 1 << 14 else { return }
    expect(rule.isStatic, "a path of a rule that has none")
    // A redirect to its own path would be a circle, and is passed over.
    let target = [UInt8(ascii: "/")] + RuleURLText.normalized(rule.target.utf8).drop { [0x2F, 0x5C].contains($0) }
    let isCircle = rule.effect == .redirect && rule.hasLocalTarget && target == Array(path.utf8)
    expect(isCircle == (rule.target(forPath: path) == nil), "a rule that does not match its own path \(path)")
}

/// Text put into a target neither ends a line nor leads to another host.
private func checkTarget(_ match: RedirectRules.Match) {
    let target = Array(match.target.utf8)
    expect(target.count <= 65_536, "a target of \(target.count) bytes")
    expect(target.allSatisfy { (0x21...0x7E).contains($0) }, "a target with other bytes than a URL has: \(target)")
    guard match.rule.hasLocalTarget else { return }
    expect(target.first == UInt8(ascii: "/"), "a local target that is no path")
    expect(!target.dropFirst().starts(with: "/".utf8) && !target.dropFirst().starts(with: "\\".utf8), "another host")
}

/// A query that the first rule with parameters asks for.
private func queryText(_ rules: RedirectRules) -> String? {
    guard let rule = rules.rules.first(where: { !$0.queryParameters.isEmpty }) else { return nil }
    return rule.queryParameters.map { parameter in
        switch parameter.value {
        case .placeholder: "\(parameter.name)=x+\n?#&"
        case .literal(let value): "\(parameter.name)=\(value)"
        }
    }.joined(separator: "&")
}
