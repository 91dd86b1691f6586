// SPDX-License-Identifier: Apache-2.0

package import WebArchive

extension HeaderRules {
    /// The maximum number of rules of one file.
    package static let ruleLimit = 10_000

    /// Reads a `_headers` file.
    ///
    /// A line that starts with `/` or `https://` is a URL pattern; the lines after it are `Name: value`
    /// or `! Name`, which removes a header set before. Lines that start with `#` are comments. Headers
    /// are written indented, but as with both hosts the indentation itself is ignored.
    ///
    /// Headers that describe the transfer rather than the content are left out with a warning, and so
    /// is Netlify's `Basic-Auth`, whose value is a password. A line that is none of the above is skipped
    /// with a warning, as the hosts skip it, and below a pattern that is skipped all fields are.
    ///
    /// - Parameters:
    ///   - text: the file's text: at most 4 MiB, 16,384 bytes a line; the first 10,000 rules are read.
    /// - Throws: `RuleFileError` for a file over its limit.
    package init(parsing text: String) throws(RuleFileError) {
        let file = try RuleFileLines(text)
        var rules: [HeaderRule] = []
        var warnings = file.faults.map { PackingWarning(RuleFileWarning(skipping: $0), path: "_headers") }
        /// Whether the fields that follow are those of a pattern that is skipped.
        var isSkipping = false
        for (number, line) in file.lines {
            let entry: Entry
            do throws(RuleFileError.Problem) {
                if Self.isPattern(line) {
                    isSkipping = true
                    let pattern = try RulePattern(line, schemes: ["https://"])
                    guard rules.count < Self.ruleLimit else { throw .tooManyRules(limit: Self.ruleLimit) }
                    isSkipping = false
                    rules.append(
                        HeaderRule(
                            line: number, pattern: line.ruleText, fields: [], removals: [], compiled: pattern))
                    continue
                }
                if isSkipping { continue }
                entry = try Self.entry(line)
                guard !rules.isEmpty else { throw .headerWithoutPattern }
            } catch {
                let fault = RuleFileError(line: number, problem: error)
                if warnings.count < RuleFileLines.maximumFaultCount {
                    warnings.append(PackingWarning(RuleFileWarning(skipping: fault), path: "_headers"))
                }
                if error == .tooManyRules(limit: Self.ruleLimit) { break }
                continue
            }
            switch entry {
            case .removal(let name):
                rules[rules.count - 1].removals.append(name)
            case .field(let field):
                if let reason = Self.reasonToLeaveOut(field.name.asciiLowercased) {
                    guard warnings.count < RuleFileLines.maximumFaultCount else { continue }
                    warnings.append(
                        PackingWarning(
                            .fieldLeftOut, "\(field.name) is omitted: \(reason)", path: "_headers", line: number))
                } else {
                    rules[rules.count - 1].fields.append(field)
                }
            }
        }
        self.rules = rules
        // Bytes that are not text were reported first.
        self.warnings = warnings.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// The meaning of a line below a pattern.
    private enum Entry {
        /// A field to set; its value may have placeholders.
        case field(HeaderRuleField)
        /// A field to remove, by its name as written.
        case removal(String)
    }

    /// Returns whether a line begins a rule.
    ///
    /// A URL of `http` does so as well, though its pattern is malformed: it is skipped with its fields, which would otherwise belong to the
    /// rule before.
    private static func isPattern(_ line: ArraySlice<UInt8>) -> Bool {
        line.first == UInt8(ascii: "/") || RulePattern.schemeLength(line, ["https://", "http://"]) != nil
    }

    /// Reads a line below a pattern: a field, or the removal of one.
    private static func entry(_ line: ArraySlice<UInt8>) throws(RuleFileError.Problem) -> Entry {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            guard line.first == UInt8(ascii: "!") else { throw .notAHeader }
            return .removal(try name(line.dropFirst().trimmingRuleSpace()))
        }
        // "!" could be a header's name, but is meant as a removal.
        guard line.first != UInt8(ascii: "!") else { throw .notAHeader }
        let name = try name(line[..<colon].trimmingRuleSpace())
        let value = line[(colon + 1)...].trimmingRuleSpace()
        guard !value.isEmpty else { throw .headerValue }
        return .field(HeaderRuleField(name: name, value: value.ruleText))
    }

    /// Returns the name of a field, as written.
    ///
    /// - Throws: `headerName` unless it is a token (RFC 9110 section 5.6.2).
    private static func name(_ bytes: ArraySlice<UInt8>) throws(RuleFileError.Problem) -> String {
        guard !bytes.isEmpty, bytes.allSatisfy(FieldText.isTokenByte) else { throw .headerName }
        return bytes.ruleText
    }

    /// Returns the reason for leaving out a header, or nil if it is packed. The name is in lower case.
    private static func reasonToLeaveOut(_ name: String) -> String? {
        switch name {
        case "basic-auth":
            "a packed site does not check passwords, and this line contains one"
        // RFC 9110 sections 6 to 8 and 14: these depend on how a response is sent.
        case "accept-ranges", "age", "content-encoding", "content-length", "content-range", "date",
            _ where ConnectionFields.names.contains(name):
            "it describes the transfer, which the server decides"
        default: nil
        }
    }
}
