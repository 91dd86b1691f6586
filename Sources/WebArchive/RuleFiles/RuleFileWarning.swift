// SPDX-License-Identifier: Apache-2.0

/// A warning about a line of a rule file that is ignored, or followed only in part.
package struct RuleFileWarning: Sendable, Hashable {
    /// The kind of a warning.
    package enum Code: Sendable, Hashable {
        /// The line is malformed.
        case lineSkipped
        /// The rule is well-formed, but unsupported.
        case ruleSkipped
        /// The fragment of the rule's source is ignored: no client sends it.
        case fragmentLeftOut
    }

    /// The kind of the warning.
    package let code: Code
    /// The fault, as a phrase without a full stop.
    package let message: String
    /// The number of the line, counted from 1.
    package let line: Int
    /// The fault for which a line is skipped.
    package let fault: RuleFileError.Problem?

    /// Creates a warning.
    package init(code: Code, message: String, line: Int, fault: RuleFileError.Problem? = nil) {
        (self.code, self.message, self.line, self.fault) = (code, message, line, fault)
    }

    /// Creates a warning about a line that is skipped for a fault.
    package init(skipping fault: RuleFileError) {
        self.init(
            code: .lineSkipped, message: "the line is skipped: \(fault.problem.advice)", line: fault.line,
            fault: fault.problem)
    }
}
