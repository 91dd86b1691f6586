// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A warning about a file that is not packed, or about an instruction of a publisher that is ignored or followed only in part.
public struct PackingWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a warning. New codes may come with new versions, so a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as `--json` prints it.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// A header field that no archive can promise, such as one of the connection.
        public static let fieldLeftOut = Code(rawValue: "fieldLeftOut")
        /// Header fields beyond the limits to a value and to the fields of a response.
        public static let fieldsTooLong = Code(rawValue: "fieldsTooLong")
        /// A line that cannot be understood.
        public static let lineSkipped = Code(rawValue: "lineSkipped")
        /// A rule whose conditions only a server can judge.
        public static let ruleSkipped = Code(rawValue: "ruleSkipped")
        /// The fragment of a rule's source, which no client sends.
        public static let fragmentLeftOut = Code(rawValue: "fragmentLeftOut")
        /// A rule file beyond the limits to what servers apply.
        public static let rulesNotApplied = Code(rawValue: "rulesNotApplied")
        /// A rule whose target is not packed.
        public static let targetMissing = Code(rawValue: "targetMissing")
        /// A rule whose source or target is no URL.
        public static let noURL = Code(rawValue: "noURL")
        /// Further rules with such faults, counted.
        public static let moreRules = Code(rawValue: "moreRules")
        /// A symbolic link that leads out of its folder, and was skipped.
        public static let linkOutside = Code(rawValue: "linkOutside")
        /// A symbolic link that leads to nothing, and was skipped.
        public static let brokenLink = Code(rawValue: "brokenLink")
        /// A symbolic link that leads in a circle, and was skipped.
        public static let linkInCircle = Code(rawValue: "linkInCircle")
        /// The page that was chosen as the main page, since the base URL answers nothing.
        public static let mainPageChosen = Code(rawValue: "mainPageChosen")
        /// No page that stands out as the main page.
        public static let noMainPage = Code(rawValue: "noMainPage")
        /// An archive of some format that was named as a file to pack, and is packed as one.
        public static let archiveAsFile = Code(rawValue: "archiveAsFile")
        /// Another name of the archive that is written, which was skipped.
        public static let archiveItself = Code(rawValue: "archiveItself")
        /// A folder of version control, or a file that usually holds passwords or keys, which is packed.
        public static let privateFile = Code(rawValue: "privateFile")
    }

    /// The kind of the warning.
    public let code: Code
    /// The file or instruction, and what became of it, as a phrase without a full stop. Texts may change.
    public let message: String
    /// The file that is meant, or the rule file.
    public let path: String
    /// The number of the line, counted from 1; nil where the file as a whole is meant.
    public let line: Int?

    /// Creates a warning.
    public init(_ code: Code, _ message: String, path: String, line: Int? = nil) {
        (self.code, self.message, self.path, self.line) = (code, message, path, line)
    }

    init(_ warning: RuleFileWarning, path: String) {
        let code: Code =
            switch warning.code {
            case .lineSkipped: .lineSkipped
            case .ruleSkipped: .ruleSkipped
            case .fragmentLeftOut: .fragmentLeftOut
            }
        self.init(code, warning.message, path: path, line: warning.line)
    }

    public var description: String { "\(path): \(line.map { "line \($0): " } ?? "")\(message)" }
}
