// SPDX-License-Identifier: Apache-2.0

/// The redirect rules of an archive, from the rule files that its metadata names. Specification section 8.7.
package struct SiteRules: Sendable {
    /// The maximum number of rule files.
    package static let fileLimit = 16
    /// The maximum length of a rule file, in bytes.
    package static let textLimit = 1 << 20
    /// The maximum number of rules of all files together.
    package static let ruleLimit = 10_000
    /// The maximum number of literals and captures in the sources of all files together. One takes some 90 bytes of memory.
    private static let partLimit = 40_000
    /// The total length of rule files, in bytes, after which no more are read.
    private static let totalLimit = 2 << 20

    /// The rules of one file.
    private struct File {
        let url: CanonicalURL
        let rules: RedirectRules
    }

    private var files: [File] = []
    /// The reason why a rule file cannot be read; nil if all can.
    let failure: ArchiveError?
    /// Whether a rule replaces entries.
    let hasForced: Bool

    /// Reads the rules of an archive, which takes a lookup and the decoding of at most 16 MiB.
    package init(_ archive: ArchiveReader) {
        var failure: ArchiveError?
        do throws(ArchiveError) {
            let names = try archive.metadata()[MetadataName.redirectRules] ?? ""
            var left = (length: Self.totalLimit, rules: Self.ruleLimit, parts: Self.partLimit)
            for name in names.split(separator: " ").prefix(Self.fileLimit)
            where left.length > 0 && left.rules > 0 && left.parts > 0 {
                guard let url = try? CanonicalURL(String(name)), !files.contains(where: { $0.url == url }),
                    let rules = try Self.rules(at: url, in: archive, left)
                else { continue }
                left.length -= rules.length
                left.rules -= rules.rules.rules.count
                left.parts -= rules.rules.rules.reduce(0) { $0 + $1.compiled.partCount }
                files.append(File(url: url, rules: rules.rules))
            }
        } catch {
            failure = error
        }
        self.failure = failure
        hasForced = files.contains { !$0.rules.forced.isEmpty }
    }

    private static func rules(
        at url: CanonicalURL, in archive: ArchiveReader, _ left: (length: Int, rules: Int, parts: Int)
    ) throws(ArchiveError) -> (rules: RedirectRules, length: Int)? {
        let archive = archive.limited(to: .forRequest())
        let candidates = try CaptureList(of: url, .request(method: "GET", bodyDigest: nil), in: archive).entries
        guard let entry = try candidates.captured(at: nil), let body = try entry.body else { return nil }
        guard body.length <= textLimit else {
            throw ArchiveError(
                .limitExceeded, "the rule file \(url) has more than \(textLimit) bytes", path: archive.name)
        }
        guard let text = String(validating: try body.bytes(), as: UTF8.self) else {
            throw ArchiveError(.damaged, "the rule file \(url) is not UTF-8", path: archive.name)
        }
        guard let rules = try? RedirectRules(parsing: text, limit: left.rules, partLimit: left.parts) else {
            return nil
        }
        return (rules, Int(body.length))
    }

    /// The number of files whose rules are applied.
    package var fileCount: Int { files.count }

    /// A rule that matches a request, and its result.
    struct Match {
        /// The URL of the rule file.
        let file: CanonicalURL
        let rule: RedirectRule
        /// The target with placeholders filled in: a path, or a URL.
        let target: String
        /// The target as a URL.
        let url: CanonicalURL
    }

    /// Finds the first rule that matches a request. Only a `GET` or `HEAD` of the rule file's own site matches any.
    ///
    /// - Parameters:
    ///   - isForced: whether only rules that replace entries count.
    ///   - client: the client, which is evaluated for rules with conditions.
    ///   - budget: a quick one allows fewer steps.
    /// - Throws: `limitExceeded` if matching takes too many steps.
    func match(
        _ request: MatchRequest, isForced: Bool, client: RuleClient, within budget: DecodingBudget
    ) throws(ArchiveError) -> Match? {
        guard isForced ? hasForced : !files.isEmpty else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else { return nil }
        // A step takes some nanoseconds.
        let effort = RuleEffort(steps: budget.isQuick ? 1 << 15 : 1 << 22)
        let url = request.url
        let (path, query) = (
            String(decoding: url.path, as: UTF8.self), url.query.map { String(decoding: $0, as: UTF8.self) }
        )
        let host = url.host.map { String(decoding: $0, as: UTF8.self) }
        for file in files where file.url.isOfSameSite(as: url) {
            let match = file.rules.match(
                path: path, query: query, host: host, isForced: isForced, client: client, effort: effort)
            if effort.isExceeded { throw try Self.exhausted(budget) }
            // A result that is not a URL ends the file.
            if let match, let target = try? file.url.resolving(match.target) {
                return Match(file: file.url, rule: match.rule, target: match.target, url: target)
            }
        }
        return nil
    }

    private static func exhausted(_ budget: DecodingBudget) throws(ArchiveError) -> ArchiveError {
        // A worker has more.
        if budget.isQuick { try budget.take(1 << 40) }
        return ArchiveError(.limitExceeded, "matching a request with the redirect rules takes too long")
    }
}

extension CanonicalURL {
    /// Returns whether two URLs have the same host and port, by http or https.
    fileprivate func isOfSameSite(as other: CanonicalURL) -> Bool {
        guard let own = authority, let others = other.authority else { return false }
        return own.elementsEqual(others)
    }
}
