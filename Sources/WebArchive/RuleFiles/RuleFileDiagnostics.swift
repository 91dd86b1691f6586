// SPDX-License-Identifier: Apache-2.0

/// A `_headers` or `_redirects` file that cannot be read as such.
///
/// The description names the line and its correction.
package struct RuleFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A fault of a line.
    package enum Problem: Error, Sendable, Hashable {
        /// The file has more bytes than the limit given.
        case fileTooLarge(limit: Int)
        /// The file has more rules than the limit given.
        case tooManyRules(limit: Int)
        /// The line has more bytes than the limit given.
        case lineTooLong(limit: Int)
        /// The line holds a control character other than a tab.
        case controlCharacter
        /// A header is before the first URL pattern.
        case headerWithoutPattern
        /// The line is neither a URL pattern, nor `Name: value`, nor `! Name`.
        case notAHeader
        /// The header name is empty or holds characters which RFC 9110 section 5.6.2 does not allow.
        case headerName
        /// The header has no value.
        case headerValue
        /// The URL pattern starts with neither `/` nor an allowed scheme.
        case patternStart
        /// The URL pattern has more bytes, placeholders or splats than allowed.
        case patternTooComplex
        /// The same placeholder name occurs twice in the URL pattern.
        case repeatedPlaceholder
        /// The URL pattern names a port.
        case port
        /// The URL pattern holds a query (`?`).
        case queryInPattern
        /// The redirect has no target.
        case missingTarget
        /// The redirect's target starts with neither `/` nor `http://` nor `https://`.
        case targetStart
        /// A word between source and target is not of the form `name=value`.
        case queryParameter
        /// The status code is not one that a rule can have.
        case status
        /// A word after the status is not of the form `Name=value`.
        case condition
    }

    /// The number of the line, counted from 1; 0 for the file as a whole.
    package let line: Int
    /// The fault.
    package let problem: Problem

    /// Creates an error for one line.
    package init(line: Int, problem: Problem) {
        self.line = line
        self.problem = problem
    }

    /// The line, the fault, and the correction.
    package var description: String {
        line > 0 ? "line \(line): \(problem.advice)" : problem.advice
    }
}

extension RuleFileError.Problem {
    /// The fault, and the correction.
    var advice: String {
        switch self {
        case .fileTooLarge(let limit): "the file exceeds \(limit) bytes; shorten it"
        case .tooManyRules(let limit): "more than \(limit) rules; combine some with * or :placeholder"
        case .lineTooLong(let limit): "the line exceeds \(limit) bytes; shorten it"
        case .controlCharacter: "the line contains a control character; remove it"
        case .headerWithoutPattern: "a header precedes the first path; write a path such as /* on a line before it"
        case .notAHeader: "expected a path starting with /, a header as Name: value, or a removal as ! Name"
        case .headerName: "the header name is empty or contains an invalid character; use letters, digits and -"
        case .headerValue: "the header has no value; write Name: value"
        case .patternStart: "the path must start with / or https:// (in _redirects also http://)"
        case .patternTooComplex: "the path is too long or has too many placeholders; simplify it"
        case .repeatedPlaceholder: "the path uses a placeholder name twice; make the names unique"
        case .port: "the URL has a port; remove it, since rules match any port"
        case .queryInPattern:
            "the source contains a ?; write query parameters as words after it: /store id=:id /blog/:id"
        case .missingTarget: "the target is missing; write: source target [status]"
        case .targetStart: "the target must start with /, http:// or https://"
        case .queryParameter: "the words between source and target must be query parameters such as id=:id"
        case .status: "the status must be 200, 301, 302, 303, 307, 308 or 400 to 599, with ! after it to force the rule"
        case .condition: "the words after the status must be conditions such as Country=au,nz"
        }
    }
}
