// SPDX-License-Identifier: Apache-2.0

extension RedirectRules {
    /// Reads a `_redirects` file.
    ///
    /// A line is `source [name=value ...] [target] [status[!]] [Condition=value ...]`; a word that
    /// starts with `#` begins a comment. Without a target, a status is required. A source is a path, or
    /// a URL where the rule is for one host; a target is a path or an `http` or `https` URL.
    ///
    /// A malformed line is skipped with a warning, as the hosts skip it. So is a rule that
    /// needs a server (`Role`, a signed proxy) or content of a different host, which is not packed.
    ///
    /// - Parameters:
    ///   - text: the file's text: at most 4 MiB, 16,384 bytes a line.
    ///   - limit: the number of rules that are read; the others are skipped with one warning.
    ///   - partLimit: the number of literals and captures in all sources together, likewise.
    /// - Throws: `RuleFileError` for a file over its limit.
    package init(
        parsing text: String, limit: Int = Self.ruleLimit, partLimit: Int = .max
    ) throws(RuleFileError) {
        let file = try RuleFileLines(text)
        var rules: [RedirectRule] = []
        var warnings = file.faults.map { RuleFileWarning(skipping: $0) }
        var partsLeft = partLimit
        for (number, line) in file.lines {
            guard rules.count < limit, partsLeft > 0 else {
                warnings.append(
                    RuleFileWarning(skipping: RuleFileError(line: number, problem: .tooManyRules(limit: limit))))
                break
            }
            do throws(RuleFileError.Problem) {
                let parsed = try Self.rule(line, number: number)
                partsLeft -= parsed.rule.compiled.partCount
                if let warning = parsed.fragmentWarning, warnings.count < RuleFileLines.maximumFaultCount {
                    warnings.append(warning)
                }
                let unknown = parsed.unknownCondition.map { Self.reasonToSkip(condition: $0) }
                if let reason = unknown ?? Self.reasonToSkip(parsed.rule) {
                    guard warnings.count < RuleFileLines.maximumFaultCount else { continue }
                    warnings.append(
                        RuleFileWarning(code: .ruleSkipped, message: "the rule is skipped: \(reason)", line: number)
                    )
                } else {
                    rules.append(parsed.rule)
                }
            } catch {
                guard warnings.count < RuleFileLines.maximumFaultCount else { continue }
                warnings.append(RuleFileWarning(skipping: RuleFileError(line: number, problem: error)))
            }
        }
        // Bytes that are not text were reported first.
        warnings.sort { $0.line < $1.line }
        self.init(rules: rules, warnings: warnings)
    }

    private static let schemes = ["https://", "http://"]
    /// The status of rules that name none, as on Netlify.
    private static let defaultStatus = 301

    private static func rule(
        _ line: ArraySlice<UInt8>, number: Int
    ) throws(RuleFileError.Problem) -> (
        rule: RedirectRule, fragmentWarning: RuleFileWarning?, unknownCondition: String?
    ) {
        var words = line.split { $0 == 0x20 || $0 == 0x09 }[...]
        if let comment = words.firstIndex(where: { $0.first == UInt8(ascii: "#") }) { words = words[..<comment] }
        guard let written = words.popFirst() else { throw .patternStart }

        let source = written.prefix { $0 != UInt8(ascii: "#") }
        let pattern = try RulePattern(source, schemes: schemes)
        let fragmentWarning =
            source.count == written.count
            ? nil
            : RuleFileWarning(
                code: .fragmentLeftOut, message: "the source's fragment is ignored, since browsers do not send it",
                line: number)

        var parameters: [RedirectRule.QueryParameter] = []
        var target: ArraySlice<UInt8>?
        var status: (code: Int, isForced: Bool)?
        if let word = words.first, let alone = Self.status(word) {
            // Netlify's form without target, which represents the requested path itself.
            words = words.dropFirst()
            status = try valid(alone)
        } else {
            while target == nil {
                guard let word = words.popFirst() else { throw parameters.isEmpty ? .missingTarget : .targetStart }
                if isTarget(word) {
                    target = word
                } else {
                    parameters.append(try parameter(word, before: words))
                }
            }
            if let word = words.first, !word.contains(UInt8(ascii: "=")) {
                words = words.dropFirst()
                guard let found = Self.status(word) else { throw .status }
                status = try valid(found)
            }
        }
        if let target, target.starts(with: "//".utf8) { throw .targetStart }

        var conditions: [RuleCondition] = []
        var unknownCondition: String?
        for word in words {
            guard let (name, value) = pair(word) else { throw .condition }
            if let condition = RuleCondition(name: name.ruleText, value: value.ruleText) {
                conditions.append(condition)
            } else {
                unknownCondition = unknownCondition ?? name.ruleText
            }
        }
        let rule = RedirectRule(
            line: number, source: source.ruleText, queryParameters: parameters,
            target: target?.ruleText ?? pathTarget(of: source), status: status?.code ?? Self.defaultStatus,
            isForced: status?.isForced ?? false, conditions: conditions, compiled: pattern)
        return (rule, fragmentWarning, unknownCondition)
    }

    private static func isTarget(_ word: ArraySlice<UInt8>) -> Bool {
        word.first == UInt8(ascii: "/") || RulePattern.schemeLength(word, schemes) != nil
    }

    private static func parameter(
        _ word: ArraySlice<UInt8>, before rest: ArraySlice<ArraySlice<UInt8>>
    ) throws(RuleFileError.Problem) -> RedirectRule.QueryParameter {
        guard let (name, value) = pair(word) else {
            // A word that is not a parameter is most often meant as the target.
            throw rest.contains(where: isTarget) ? .queryParameter : .targetStart
        }
        let placeholder = value.dropFirst()
        let isPlaceholder =
            value.first == UInt8(ascii: ":") && !placeholder.isEmpty
            && RulePattern.nameLength(placeholder) == placeholder.count
        return RedirectRule.QueryParameter(
            name: name.ruleText,
            value: isPlaceholder ? .placeholder(placeholder.ruleText) : .literal(value.ruleText))
    }

    private static func pair(_ word: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        guard let equals = word.firstIndex(of: UInt8(ascii: "=")), equals > word.startIndex else { return nil }
        return (word[..<equals], word[(equals + 1)...])
    }

    /// Returns the status of a word of three digits and perhaps `!`.
    private static func status(_ word: ArraySlice<UInt8>) -> (code: Int, isForced: Bool)? {
        let isForced = word.last == UInt8(ascii: "!")
        let digits = isForced ? word.dropLast() : word
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return (digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }, isForced)
    }

    private static func valid(
        _ status: (code: Int, isForced: Bool)
    ) throws(RuleFileError.Problem) -> (code: Int, isForced: Bool) {
        switch status.code {
        case 200, 301, 302, 303, 307, 308, 400...599: return status
        default: throw .status
        }
    }

    /// Returns the target of a rule without one: the source's path, with `*` written as `:splat`.
    private static func pathTarget(of source: ArraySlice<UInt8>) -> String {
        var path = source
        if let length = RulePattern.schemeLength(source, schemes) {
            path = source.dropFirst(length).drop { $0 != UInt8(ascii: "/") }
        }
        var target: [UInt8] = path.isEmpty ? [UInt8(ascii: "/")] : []
        for byte in path {
            if byte == UInt8(ascii: "*") { target += Array(":splat".utf8) } else { target.append(byte) }
        }
        return String(untrusted: target)
    }

    private static func reasonToSkip(condition name: String) -> String {
        switch name.asciiLowercased {
        case "role", "sign", "signed":
            "\(name) needs a server; pages that it protects are packed for every reader"
        default: "unsupported condition \(name); use Country, Language or Cookie"
        }
    }

    private static func reasonToSkip(_ rule: RedirectRule) -> String? {
        if !rule.hasLocalTarget, rule.effect != .redirect {
            return "it serves content of another host, which is not packed; use 301 or 302 to redirect there"
        }
        return nil
    }
}
