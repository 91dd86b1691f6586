// SPDX-License-Identifier: Apache-2.0

package import WebArchive

extension HeaderRules {
    /// The most rules read from one file.
    package static let ruleLimit = 10_000

    /// Reads a `_headers` file.
    ///
    /// A line that starts with `/` or `https://` is a URL pattern; the lines after it are `Name: value`
    /// or `! Name`, which removes a header set before. Lines that start with `#` are comments. Headers
    /// are written indented, but as with both hosts the indentation itself means nothing.
    ///
    /// Headers that describe the transfer rather than the content are left out with a warning, and so
    /// is Netlify's `Basic-Auth`, whose value is a password.
    ///
    /// - Parameters:
    ///   - text: The file's text: at most 4 MiB, 16,384 bytes a line and 10,000 rules.
    ///   - dialect: The host whose reading is followed.
    /// - Throws: `RuleFileError` for the first line that is none of the above.
    package init(parsing text: String, dialect: HostingDialect = .netlify) throws(RuleFileError) {
        var rules: [HeaderRule] = []
        var warnings: [PackingWarning] = []
        for (number, line) in try RuleFileLines(text).lines {
            if Self.isPattern(line) {
                guard rules.count < Self.ruleLimit else {
                    throw RuleFileError(line: number, problem: .tooManyRules(limit: Self.ruleLimit))
                }
                do throws(RuleFileError.Problem) {
                    let pattern = try RulePattern(line, schemes: ["https://"], dialect: dialect)
                    rules.append(
                        HeaderRule(
                            line: number, pattern: line.ruleText, fields: [], removals: [], compiled: pattern))
                } catch {
                    throw RuleFileError(line: number, problem: error)
                }
                continue
            }
            let entry: Entry
            do throws(RuleFileError.Problem) {
                entry = try Self.entry(line)
            } catch {
                throw RuleFileError(line: number, problem: error)
            }
            guard !rules.isEmpty else { throw RuleFileError(line: number, problem: .headerWithoutPattern) }
            switch entry {
            case .removal(let name):
                rules[rules.count - 1].removals.append(name)
            case .field(let field):
                if let reason = Self.reasonToLeaveOut(field.name.asciiLowercased) {
                    warnings.append(
                        PackingWarning(
                            .fieldLeftOut, "\(field.name) is left out: \(reason)", path: "_headers", line: number))
                } else {
                    rules[rules.count - 1].fields.append(field)
                }
            }
        }
        self.rules = rules
        self.warnings = warnings
        self.dialect = dialect
    }

    private enum Entry {
        case field(HeaderRuleField)
        case removal(String)
    }

    private static func isPattern(_ line: ArraySlice<UInt8>) -> Bool {
        line.first == UInt8(ascii: "/") || RulePattern.schemeLength(line, ["https://", "http://"]) != nil
    }

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

    private static func name(_ bytes: ArraySlice<UInt8>) throws(RuleFileError.Problem) -> String {
        guard !bytes.isEmpty, bytes.allSatisfy(FieldText.isTokenByte) else { throw .headerName }
        return bytes.ruleText
    }

    /// Why a header is not packed, or nil if it is. The name is in lower case.
    private static func reasonToLeaveOut(_ name: String) -> String? {
        switch name {
        case "basic-auth":
            "a packed site asks for no password, and this line holds one"
        // RFC 9110 sections 6 to 8 and 14: these depend on how a response is sent.
        case "accept-ranges", "age", "content-encoding", "content-length", "content-range", "date",
            _ where ConnectionFields.names.contains(name):
            "it describes the transfer, which whoever serves the archive decides"
        default: nil
        }
    }
}
