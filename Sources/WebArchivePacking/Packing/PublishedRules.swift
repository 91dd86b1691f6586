// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The rule files that static hosts read from the root of a site: `_headers` and `_redirects`.
///
/// The archive stores them for unpacking; they are never served.
struct PublishedRules: Sendable {
    /// The rules of `_headers`; nil without the file.
    let headers: HeaderRules?
    /// The rules of `_redirects`; nil without the file.
    let redirects: RedirectRules?
    /// The warnings about lines of both files, and about the limits of servers.
    let warnings: [PackingWarning]

    static let headersName = Array("_headers".utf8)
    static let redirectsName = Array("_redirects".utf8)

    /// Returns whether a file is one of the two. It must be at the top of its source: elsewhere these names have no meaning to hosts.
    static func isRuleFile(_ file: SourceFile) -> Bool {
        file.folder.path.isEmpty && [headersName, redirectsName].contains { file.name.elementsEqual($0) }
    }

    /// Reads the rule files of the site. Throws `io`, `changed`, or `invalidArgument` naming file and line.
    init(_ tree: SourceTree) throws(ArchiveError) {
        var (headers, redirects): (HeaderRules?, RedirectRules?) = (nil, nil)
        var warnings: [PackingWarning] = []
        for (number, file) in tree.files.enumerated() where Self.isRuleFile(file) {
            let open = try tree.open(number)
            let text = try Self.text(of: open, length: file.length)
            do throws(RuleFileError) {
                if file.path == Self.headersName {
                    headers = try HeaderRules(parsing: text)
                    warnings += (headers?.warnings ?? []).map { warning in
                        PackingWarning(warning.code, warning.message, path: open.path, line: warning.line)
                    }
                } else {
                    redirects = try RedirectRules(parsing: text)
                    warnings += (redirects?.warnings ?? []).map { warning in
                        PackingWarning(warning, path: open.path)
                    }
                    if let warning = Self.warningOfLimits(text, redirects, path: open.path) { warnings.append(warning) }
                }
            } catch {
                throw ArchiveError(.invalidArgument, "\(error)", path: open.path)
            }
        }
        (self.headers, self.redirects, self.warnings) = (headers, redirects, warnings)
    }

    /// Returns a warning about the limits of servers: a rule for one URL becomes an entry, any number of which cost nothing.
    private static func warningOfLimits(_ text: String, _ rules: RedirectRules?, path: String) -> PackingWarning? {
        if text.utf8.count > SiteRules.textLimit {
            return PackingWarning(
                .rulesNotApplied,
                "the file exceeds 1 MiB; its rules with * or : are not applied",
                path: path)
        }
        guard let last = rules?.rules.last, rules.map({ $0.rules.count > SiteRules.ruleLimit }) == true else {
            return nil
        }
        return PackingWarning(
            .rulesNotApplied,
            "rules with * or : after the first \(SiteRules.ruleLimit) rules are not applied; move them to the start",
            path: path, line: last.line)
    }

    /// Returns the text of a rule file: at most 4 MiB of UTF-8, else `limitExceeded` or `invalidArgument`.
    private static func text(of file: OpenSourceFile, length: UInt64) throws(ArchiveError) -> String {
        guard length <= 4 << 20 else {
            throw ArchiveError(.limitExceeded, "the rule file exceeds 4 MiB", path: file.path)
        }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        try bytes.withMutableBytes { (buffer) throws(ArchiveError) in try file.read(at: 0, into: buffer) }
        try file.checkUnchanged()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ArchiveError(.invalidArgument, "the rule file is not UTF-8", path: file.path)
        }
        return text
    }
}
