// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A header field that a `_headers` file sets.
package struct HeaderRuleField: Sendable, Hashable {
    /// The field's name as written in the file.
    package let name: String
    /// The field's value, with unfilled placeholders.
    package let value: String
    /// The name in lower case.
    let key: String
    /// The value; nil if it has no placeholder.
    let template: RuleTemplate?

    /// Creates a field.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
        key = name.asciiLowercased
        template = value.utf8.contains(UInt8(ascii: ":")) ? RuleTemplate(text: Array(value.utf8)) : nil
    }
}

/// A block of a `_headers` file: a URL pattern with the headers it sets and removes.
package struct HeaderRule: Sendable, Hashable {
    /// The number of the pattern's line, counted from 1.
    package let line: Int
    /// The URL pattern as written in the file.
    package let pattern: String
    /// The headers it sets, in the order of the file.
    package internal(set) var fields: [HeaderRuleField]
    /// The names of the headers it removes (`! Name`).
    package internal(set) var removals: [String]

    /// The steps of ``RuleEffort`` that adding or removing a field takes: as long as some comparisons of patterns.
    static let stepsOfField = 64

    /// The compiled pattern.
    let compiled: RulePattern
}

/// The rules of a `_headers` file.
///
/// Every rule that matches a request applies, in the order of the file. The first rule to set a header
/// overrides the response's own; later values of the same header are joined to it with a comma,
/// except `Set-Cookie`, which cannot be joined (RFC 6265 section 3) and becomes a field of its own.
///
/// Origin: Netlify, "Custom headers"; Cloudflare Pages, "Headers" (attach, detach, match a path).
package struct HeaderRules: Sendable {
    /// The maximum length of a joined value, in bytes; a longer value is left out.
    package static let valueLimit = RuleTemplate.resultLimit
    /// The maximum length of names and values that rules set for one response, together, in bytes; fields beyond it are left out.
    /// No browser takes as much.
    package static let responseLimit = 256 << 10

    /// The rules in the order of the file.
    package let rules: [HeaderRule]
    /// The warnings about unsupported lines.
    package let warnings: [PackingWarning]

    /// Returns the fields set for a request on a response without fields.
    ///
    /// - Parameters:
    ///   - path: the path of the request's URL, starting with `/`, without query. Bytes that a URL
    ///     cannot hold are taken as if percent-encoded. Rules match no other path and none of more
    ///     than 16,384 bytes.
    ///   - host: the host of the request's URL, or nil if unknown: rules with a host do not match then.
    /// - Returns: The fields in the order in which their names were first set.
    package func fields(forPath path: String, host: String? = nil) -> [HeaderRuleField] {
        var list: [(name: String, value: String)] = []
        apply(to: &list, path: path, host: host)
        return list.map { HeaderRuleField(name: $0.name, value: $0.value) }
    }

    /// Sets and removes fields of a response by the matching rules.
    ///
    /// A rule's removals come before its additions, as on Cloudflare Pages. Placeholders in values are
    /// filled in with percent-encoded text, which cannot end a line.
    ///
    /// - Parameters:
    ///   - fields: the fields of the response. A field set again keeps its place.
    ///   - path: the path of the request's URL; see ``fields(forPath:host:)``.
    ///   - host: the host of the request's URL, or nil.
    ///   - effort: the remaining steps of matching; nil for no limit.
    /// - Returns: the cost and the losses.
    @discardableResult
    package func apply(
        to fields: inout [(name: String, value: String)], path: String, host: String? = nil, effort: RuleEffort? = nil
    ) -> HeaderRulesOutcome {
        var outcome = HeaderRulesOutcome()
        guard let request = RuleRequest(path: path, host: host, effort: effort) else {
            return outcome
        }
        var set: Set<String> = []
        var filledNames: Set<String> = []
        var length = 0
        var table = RuleFieldTable(fields)
        for rule in rules {
            guard let captures = rule.compiled.match(request) else { continue }
            effort?.take((rule.fields.count + rule.removals.count) * HeaderRule.stepsOfField)
            if effort?.isExceeded == true { break }
            for name in rule.removals {
                table.remove(name.asciiLowercased)
            }
            for field in rule.fields {
                guard length <= Self.responseLimit, let value = field.value(with: captures, effort) else {
                    outcome.leftOutCount += 1
                    continue
                }
                length += field.name.utf8.count + value.utf8.count
                guard length <= Self.responseLimit else {
                    outcome.leftOutCount += 1
                    continue
                }
                if field.template != nil, !value.hasSameBytes(as: field.value) { filledNames.insert(field.key) }
                let isFirst = set.insert(field.key).inserted
                if !table.add((field.name, value), key: field.key, overriding: isFirst) { outcome.leftOutCount += 1 }
            }
        }
        fields = table.fields
        if filledNames.isEmpty { return outcome }
        for field in fields where filledNames.contains(field.name.asciiLowercased) {
            outcome.filledLength += field.name.utf8.count + field.value.utf8.count
        }
        return outcome
    }
}

extension HeaderRuleField {
    /// Returns the value with its placeholders filled in; nil if it is over the limit.
    fileprivate func value(with captures: RuleCaptures, _ effort: RuleEffort?) -> String? {
        guard let template, !captures.isEmpty else {
            return value.utf8.count <= RuleTemplate.resultLimit ? value : nil
        }
        return template.filled(with: captures, effort).map { String(untrusted: $0) }
    }
}

/// The cost and the losses of rules that were applied to one response.
package struct HeaderRulesOutcome {
    /// The number of fields that were left out, because of a limit.
    var leftOutCount = 0
    /// The length of the fields that contain captured text, and so belong only to this response; in bytes.
    var filledLength = 0
}
