// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A warning about a file that is not packed, or about an instruction of a publisher that is ignored or followed only in part.
///
/// Packing continues after it. ``ArchivePacker/Summary/warnings`` has all of a run.
public struct PackingWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a warning. New codes may come with new versions, so a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as `--json` prints it.
        public let rawValue: String
        /// Creates a code from its text, of which there may be any.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// A header field of `_headers` that no archive can promise: one of the connection, of the transfer (RFC 9110 sections 6 to 8 and
        /// 14), or a password.
        public static let fieldLeftOut = Code(rawValue: "fieldLeftOut")
        /// Header fields beyond the limits to a value, 64 KiB, and to the fields of a response, 256 KiB. Said once for a site.
        public static let fieldsTooLong = Code(rawValue: "fieldsTooLong")
        /// A line of a rule file that cannot be understood, and was skipped.
        public static let lineSkipped = Code(rawValue: "lineSkipped")
        /// A rule whose conditions only a server can judge, and which was skipped.
        public static let ruleSkipped = Code(rawValue: "ruleSkipped")
        /// The fragment of a rule's source, which no client sends.
        public static let fragmentLeftOut = Code(rawValue: "fragmentLeftOut")
        /// A rule file beyond the limits to what servers apply: 1 MiB, 10,000 rules, 16 files of an archive. Specification section 8.7.
        ///
        /// Its rules for one URL became entries and are answered; those with `*` or `:` are not applied.
        public static let rulesNotApplied = Code(rawValue: "rulesNotApplied")
        /// A rule whose target is not packed.
        public static let targetMissing = Code(rawValue: "targetMissing")
        /// A redirect to the path that it is for, which is ignored.
        public static let redirectLoop = Code(rawValue: "redirectLoop")
        /// A rule whose source or target is not a URL.
        public static let noURL = Code(rawValue: "noURL")
        /// Further rules with such faults, counted: of one run 100 are told one by one.
        public static let moreRules = Code(rawValue: "moreRules")
        /// A symbolic link that leads out of its folder, and was skipped. ``ArchivePacker/Options/allowsOutsideLinks`` has it followed.
        public static let linkOutside = Code(rawValue: "linkOutside")
        /// A symbolic link that leads to nothing, and was skipped.
        public static let brokenLink = Code(rawValue: "brokenLink")
        /// A symbolic link that leads to a folder above it or in a circle of links, and was skipped.
        public static let linkInCircle = Code(rawValue: "linkInCircle")
        /// Further symbolic links that are not followed, counted: of one run 100 are told one by one.
        public static let moreLinks = Code(rawValue: "moreLinks")
        /// The page that was chosen as the main page, since the base URL answers nothing.
        public static let mainPageChosen = Code(rawValue: "mainPageChosen")
        /// No page that stands out as the main page; the message lists at most five candidates.
        public static let noMainPage = Code(rawValue: "noMainPage")
        /// An archive of some format that was named as a file to pack, and is packed as one.
        public static let archiveAsFile = Code(rawValue: "archiveAsFile")
        /// Another name of the archive that is written, which was skipped.
        public static let archiveItself = Code(rawValue: "archiveItself")
        /// The file of a secret key that signs the archive, which was left out.
        public static let signingKey = Code(rawValue: "signingKey")
        /// The file of the earlier edition, like which the archive is packed, which was left out.
        public static let earlierEdition = Code(rawValue: "earlierEdition")
        /// A folder of version control or of keys (`.git`, `.ssh`), or a file that usually holds passwords or keys (`.env`, `id_rsa`),
        /// which is packed.
        public static let privateFile = Code(rawValue: "privateFile")
        /// Further names of private files and folders, and of the archive that is written, counted: of one run 100 are told one by one.
        public static let moreNames = Code(rawValue: "moreNames")
    }

    /// The kind of the warning.
    public let code: Code
    /// The file or instruction, and what became of it, as a phrase without a full stop. Texts may change.
    public let message: String
    /// The file that is meant, or the rule file; for people, with what is not UTF-8 repaired.
    public let path: String
    /// The number of the line, counted from 1; nil where the file as a whole is meant.
    public let line: Int?
    /// A pattern of ``ArchivePacker/Options/exclude`` that leaves the file or folder out; nil where none is proposed.
    public let pattern: String?

    /// Creates a warning.
    ///
    /// - Parameters:
    ///   - code: the kind of the warning.
    ///   - message: a phrase without a full stop.
    ///   - path: the file that is meant.
    ///   - line: the number of the line, from 1; nil by default, for the file as a whole.
    ///   - pattern: that leaves the file or folder out; nil by default.
    public init(_ code: Code, _ message: String, path: String, line: Int? = nil, pattern: String? = nil) {
        (self.code, self.message, self.path, self.line, self.pattern) = (code, message, path, line, pattern)
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

    /// The path, the line where there is one, and the message.
    public var description: String { "\(path): \(line.map { "line \($0): " } ?? "")\(message)" }
}
