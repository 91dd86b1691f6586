// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A warning about a file that is not packed or that others may not be meant to read, or about a publisher's instruction that is ignored or only partly supported.
///
/// Packing continues after it. ``ArchivePacker/Summary/warnings`` has all of a run.
public struct PackingWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a warning. New codes may come with new versions, so a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as `--json` prints it.
        public let rawValue: String
        /// Creates a code from any text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The code of a header field of `_headers` that no archive can promise: one of the connection, of the transfer (RFC 9110 sections 6 to 8 and
        /// 14), or a password.
        public static let fieldLeftOut = Code(rawValue: "fieldLeftOut")
        /// The code of header fields beyond the limits of a value, 64 KiB, and of the fields of a response, 256 KiB. Reported once for a site.
        public static let fieldsTooLong = Code(rawValue: "fieldsTooLong")
        /// The code of a malformed line of a rule file, which was skipped.
        public static let lineSkipped = Code(rawValue: "lineSkipped")
        /// The code of a rule whose conditions only a server can evaluate, and which was skipped.
        public static let ruleSkipped = Code(rawValue: "ruleSkipped")
        /// The code of a fragment of a rule's source, which no client sends.
        public static let fragmentLeftOut = Code(rawValue: "fragmentLeftOut")
        /// The code of a rule file beyond the limits of servers: 1 MiB, 10,000 rules, 16 files of an archive. Specification section 8.7.
        ///
        /// Its rules for one URL became entries and are served; those with `*` or `:` are not applied.
        public static let rulesNotApplied = Code(rawValue: "rulesNotApplied")
        /// The code of a rule whose target is not packed.
        public static let targetMissing = Code(rawValue: "targetMissing")
        /// The code of a redirect to its own path, which is ignored.
        public static let redirectLoop = Code(rawValue: "redirectLoop")
        /// The code of a rule whose source or target is not a URL.
        public static let noURL = Code(rawValue: "noURL")
        /// The code of a count of further rules with such faults: at most 100 are reported individually in one run.
        public static let moreRules = Code(rawValue: "moreRules")
        /// The code of a skipped symbolic link that leads out of its folder. ``ArchivePacker/Options/allowsOutsideLinks`` makes the packer follow it.
        public static let linkOutside = Code(rawValue: "linkOutside")
        /// The code of a skipped symbolic link whose target is missing or cannot be reached.
        public static let brokenLink = Code(rawValue: "brokenLink")
        /// The code of a skipped symbolic link that leads to a folder above it or in a loop of links.
        public static let linkInCircle = Code(rawValue: "linkInCircle")
        /// The code of a count of further symbolic links that are not followed: at most 100 are reported individually in one run.
        public static let moreLinks = Code(rawValue: "moreLinks")
        /// The code of the page that was chosen as the main page, since there is no response to the base URL.
        public static let mainPageChosen = Code(rawValue: "mainPageChosen")
        /// The code of a missing main page; the message lists at most five candidates.
        public static let noMainPage = Code(rawValue: "noMainPage")
        /// The code of an archive of some format that was named as a file to pack, and is packed as one.
        public static let archiveAsFile = Code(rawValue: "archiveAsFile")
        /// The code of a second name of the archive that is being written, which was skipped.
        public static let archiveItself = Code(rawValue: "archiveItself")
        /// The code of the file of a secret key that signs the archive, which was left out.
        public static let signingKey = Code(rawValue: "signingKey")
        /// The code of the file of the earlier edition, the model of the archive, which was left out.
        public static let earlierEdition = Code(rawValue: "earlierEdition")
        /// The code of a folder of version control or of keys (`.git`, `.ssh`), or a file that usually holds passwords or keys (`.env`, `id_rsa`),
        /// which is packed.
        public static let privateFile = Code(rawValue: "privateFile")
        /// The code of a count of further names of private files and folders, and of the archive itself: at most 100 are reported individually.
        public static let moreNames = Code(rawValue: "moreNames")
    }

    /// The kind of the warning.
    public let code: Code
    /// The file or instruction, and its treatment, as a phrase without a full stop. Texts may change.
    public let message: String
    /// The affected file, or the rule file; for people, with bytes that are not UTF-8 replaced.
    public let path: String
    /// The number of the line, counted from 1; nil for the file as a whole.
    public let line: Int?
    /// A pattern of ``ArchivePacker/Options/exclude`` that leaves the file or folder out; nil if none is proposed.
    public let pattern: String?

    /// Creates a warning.
    ///
    /// - Parameters:
    ///   - code: the kind of the warning.
    ///   - message: a phrase without a full stop.
    ///   - path: the file that is meant.
    ///   - line: the number of the line, from 1; nil by default, for the file as a whole.
    ///   - pattern: the pattern that leaves the file or folder out; nil by default.
    public init(_ code: Code, _ message: String, path: String, line: Int? = nil, pattern: String? = nil) {
        (self.code, self.message, self.path, self.line, self.pattern) = (code, message, path, line, pattern)
    }

    /// Takes over a warning of the parser of a rule file, with its line.
    ///
    /// - Parameter path: the path of the rule file.
    init(_ warning: RuleFileWarning, path: String) {
        let code: Code =
            switch warning.code {
            case .lineSkipped: .lineSkipped
            case .ruleSkipped: .ruleSkipped
            case .fragmentLeftOut: .fragmentLeftOut
            }
        self.init(code, warning.message, path: path, line: warning.line)
    }

    /// The path, the line if there is one, and the message.
    public var description: String { "\(path): \(line.map { "line \($0): " } ?? "")\(message)" }
}
