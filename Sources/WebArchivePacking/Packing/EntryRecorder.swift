// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A recorder of the entries of a site: one for each file, aliases for index files, redirects for folders, and the results of rule files.
final class EntryRecorder {
    private let builder: CommitBuilder
    private let tree: SourceTree
    private let urls: SiteURLs
    private let rules: PublishedRules
    private let options: ArchivePacker.Options
    /// The folders whose index file has a name other than the first of the index names.
    private let indexes: FolderIndexes
    /// Whether a redirect rule takes precedence over files.
    private let hasForcedRules: Bool
    /// The first forced rule for each URL, independent of the rule's spelling.
    private let forcedRules: [CanonicalURL: RedirectRule]
    /// The templates of header fields so far; a site has about one for each media type.
    private var templates: [TemplateKind: CommitBuilder.FileTemplate] = [:]
    /// The entry that represents each URL so far.
    private var references: RecordedEntries
    /// The number of entries that this run has added, with aliases and redirects. Unchanged ones of an existing archive do not count.
    private(set) var entryCount = 0
    /// The warnings so far, except those about secrets; those about redirect rules are added by ``recordRedirectRules()``.
    private(set) var warnings: [PackingWarning] = []
    /// The length of header fields and redirect targets of single responses, in bytes.
    private var filledLength = 0
    /// The warnings about single redirect rules, which become a part of ``warnings`` at the end.
    private var redirectWarnings = LimitedWarnings()
    private var secretWarnings = LimitedWarnings()
    /// Whether there was the warning about omitted header fields, of which a site gets one.
    private var hasWarnedOfFields = false
    /// The steps of matching rules that are left, for all files of the run together.
    private let effort = RuleEffort()
    /// The URLs with a response by a rule.
    private var ruled: Set<CanonicalURL> = []
    /// The forced rules, with the paths of the files that they replace.
    private var replaced: [(rule: RedirectRule, path: String)] = []

    /// Creates a recorder, and finds the URLs of forced rules for one path. A rule whose path forms no URL is not among them.
    init(
        builder: CommitBuilder, tree: SourceTree, urls: SiteURLs, rules: PublishedRules, options: ArchivePacker.Options
    ) {
        self.builder = builder
        self.tree = tree
        self.urls = urls
        self.rules = rules
        let forced = rules.redirects?.forced ?? []
        hasForcedRules = !forced.isEmpty
        let urlsOfRules = forced.compactMap { rule in
            rule.staticPath.flatMap { try? urls.url(ofRequestPath: $0) }.map { ($0, rule) }
        }
        forcedRules = Dictionary(urlsOfRules) { first, _ in first }
        self.options = options
        references = RecordedEntries(builder)
        indexes = FolderIndexes(tree, names: options.indexNames)
    }

    /// The warnings about files that begin like secret keys.
    var warningsOfSecrets: [PackingWarning] {
        secretWarnings.warnings(
            .moreNames, "files that begin like secret keys", path: tree.files.first?.displayPath ?? "")
    }

    /// Returns whether an entry was recorded for a URL.
    func hasEntry(_ url: CanonicalURL) -> Bool { references[url] != nil }

    // MARK: - Files

    /// Records the entry of a file, and for an index file the alias and the redirect of its folder.
    ///
    /// - Throws: `invalidArgument` if another source has a file for the URL, `limitExceeded` for rules that take too long or fill in too
    ///   much.
    func record(_ item: FileBatch.Item, _ body: CommitBuilder.BodyReference) throws(ArchiveError) {
        let file = tree.files[item.file]
        if references[item.url] != nil {
            throw ArchiveError(
                .invalidArgument, "two sources have a file for \(item.url); pack them with different base URLs",
                path: file.displayPath)
        }
        if case .memory(let slice) = item.contents, PrivateName.isSecretKey(slice.bytes),
            !PrivateName.matches(Array(file.name), isFolder: false)
        {
            secretWarnings.add(.privateFile, PrivateName.warningOfSecretKey(Array(file.name), path: file.displayPath))
        }
        let isRuleFile = PublishedRules.isRuleFile(file)
        let isHidden = isRuleFile ? true : try isReplacedByRule(item.url)
        let role: ArchiveEntry.Role = isHidden ? .unpackOnly : .exchange
        references.set(try addEntry(item, body, role), for: item.url)
        guard !isRuleFile, let folder = indexes.folder(servedBy: item.file) else { return }
        try recordIndex(folder, of: item, file)
    }

    /// Adds the entry of a file. Most files of a site differ only in their body and time, and share a template for their header fields;
    /// the others have a response of their own, which is compared with that of an existing archive.
    private func addEntry(
        _ item: FileBatch.Item, _ body: CommitBuilder.BodyReference, _ role: ArchiveEntry.Role
    ) throws(ArchiveError) -> CommitBuilder.EntryReference {
        let isPlain = rules.headers == nil && role == .exchange && !options.appends && !isCompressedImage(item.file)
        guard isPlain else {
            let response = try response(for: item, body)
            if options.appends,
                let old = try builder.unchangedEntry(item.url, response: response, body: body, role: role)
            {
                return old
            }
            return try add(item.url, response, body, role)
        }
        let modified = ArchiveTime(nanoseconds: tree.files[item.file].stamp.modified)
        let kind = TemplateKind(type: tree.types[item.file], charset: item.charset, hasModified: modified != nil)
        let template =
            if let known = templates[kind] {
                known
            } else {
                try builder.fileTemplate(
                    mediaType: tree.type(item.file).name, charset: item.charset, hasModified: modified != nil)
            }
        templates[kind] = template
        entryCount += 1
        return try builder.addFile(item.url, template, body: body, modified: modified, time: options.time)
    }

    /// The properties in which the header fields of plain files differ, other than those that the archive fills in.
    private struct TemplateKind: Hashable {
        /// The number of the media type.
        let type: Int
        let charset: String?
        /// Whether there is a `Last-Modified` field: not if the file's time is 0, which represents an unknown time in an archive.
        let hasModified: Bool
    }

    /// Adds an entry for a GET, and counts it.
    private func add(
        _ url: CanonicalURL, _ response: ArchiveResponse?, _ body: CommitBuilder.BodyReference?,
        _ role: ArchiveEntry.Role
    ) throws(ArchiveError) -> CommitBuilder.EntryReference {
        entryCount += 1
        return try builder.add(
            ArchiveRequest(url: url.description), response: response, body: body, time: time(of: url), role: role)
    }

    /// Returns the time of a new entry: not before that of the entry that it replaces, which would otherwise stay the newest.
    private func time(of url: CanonicalURL) throws(ArchiveError) -> ArchiveTime? {
        options.appends ? try builder.time(options.time, notBeforeThatOf: url) : options.time
    }

    /// Returns the response of a file: the fields of any file server, and those of `_headers` rules.
    private func response(
        for item: FileBatch.Item, _ body: CommitBuilder.BodyReference
    ) throws(ArchiveError) -> ArchiveResponse {
        let type = tree.type(item.file)
        let modified = ArchiveTime(nanoseconds: tree.files[item.file].stamp.modified)
        var fields: [(name: String, value: String)] = [
            ("Content-Type", item.charset.map { "\(type.name); charset=\($0)" } ?? type.name),
            ("Content-Length", String(body.length)),
            ("ETag", "\"\(body.digest)\""),
        ]
        if let modified { fields.append(("Last-Modified", HTTPDate.text(nanoseconds: modified.nanoseconds))) }
        if isCompressedImage(item.file) { fields.append(("Content-Encoding", "gzip")) }
        if let headers = rules.headers {
            let outcome = headers.apply(
                to: &fields, path: String(decoding: item.url.path, as: UTF8.self),
                host: item.url.host.map { String(decoding: $0, as: UTF8.self) }, effort: effort)
            try checkEffort("_headers")
            try count(outcome, for: item)
        }
        let list = HeaderFields(fields.map { HeaderField(name: $0.name, value: $0.value) })
        return ArchiveResponse(headers: list, modified: modified)
    }

    /// Checks that matching has not taken too many steps.
    ///
    /// - Parameter ruleFile: the name of the rule file, for the error.
    /// - Throws: `limitExceeded` after ``RuleEffort/limit`` steps.
    private func checkEffort(_ ruleFile: String) throws(ArchiveError) {
        guard effort.isExceeded else { return }
        throw ArchiveError(
            .limitExceeded,
            "matching the rules with \(tree.files.count) files takes too long; use fewer rules with wildcards",
            path: ruleFile)
    }

    /// Adds the length of text that rules made for one response.
    ///
    /// - Parameter length: the length in bytes.
    /// - Throws: `limitExceeded` if all of it exceeds ``ArchivePacker/Options/maximumFilledTextLength``: a placeholder in a rule for all
    ///   files costs as many texts as there are files.
    private func addFilled(_ length: Int, _ ruleFile: String) throws(ArchiveError) {
        filledLength += length
        guard filledLength <= options.maximumFilledTextLength else {
            throw ArchiveError(
                .limitExceeded,
                "the texts that rules fill in exceed \(options.maximumFilledTextLength) bytes; use fewer placeholders",
                path: ruleFile)
        }
    }

    /// Counts the text that rules fill in, and warns once of fields that were left out.
    private func count(_ outcome: HeaderRulesOutcome, for item: FileBatch.Item) throws(ArchiveError) {
        try addFilled(outcome.filledLength, "_headers")
        if outcome.leftOutCount > 0, !hasWarnedOfFields {
            hasWarnedOfFields = true
            warnings.append(
                PackingWarning(
                    .fieldsTooLong,
                    "\(outcome.leftOutCount) header fields for \(item.url) are omitted; the limits are 64 KiB for a value and 256 KiB for a response",
                    path: "_headers"))
        }
    }

    /// Returns whether a file is a compressed image: browsers show an `.svgz` file only with its coding. Its ending counts in any case, as
    /// for its type.
    private func isCompressedImage(_ file: Int) -> Bool {
        String(decoding: tree.files[file].name.suffix(5), as: UTF8.self).asciiLowercased == ".svgz"
    }

    // MARK: - Folders

    /// Records an index file under the three URLs of its folder: `/dir/`, `/dir/index.html`, and `/dir`, which redirects to `/dir/`.
    private func recordIndex(_ folder: [UInt8], of item: FileBatch.Item, _ file: SourceFile) throws(ArchiveError) {
        do {
            let url = try urls.url(ofFolder: folder)
            let spelled = try urls.spelledURL(ofIndex: file.name, in: url)
            try recordAlias(item.url == url ? spelled : url, of: item.url)
            guard !folder.isEmpty else { return }
            let plain = try CanonicalURL(utf8: url.bytes.dropLast())
            // After an empty segment, that is the URL of the folder above.
            guard plain.bytes.last != UInt8(ascii: "/") else { return }
            if try !isReplacedByRule(plain) { try recordRedirect(from: plain, to: url) }
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError(
                .invalidArgument, "cannot form a URL for the folder", path: file.displayPath, cause: error)
        }
    }

    /// Records the alias of an entry, unless its URL has an entry already, or a forced rule replaces it.
    private func recordAlias(_ url: CanonicalURL, of original: CanonicalURL) throws(ArchiveError) {
        guard references[url] == nil, let entry = references[original], try !isReplacedByRule(url) else { return }
        references.set(try alias(url, of: entry), for: url)
    }

    /// Returns the alias of an earlier commit, or else a new one.
    private func alias(
        _ url: CanonicalURL, of entry: CommitBuilder.EntryReference, status: Int = 200
    ) throws(ArchiveError) -> CommitBuilder.EntryReference {
        if options.appends {
            if status == 200 {
                if try builder.hasAlias(url, of: entry) { return entry }
            } else if let old = try builder.unchangedAlias(url, of: entry, status: status) {
                return old
            }
        }
        entryCount += 1
        return status == 200
            ? try builder.addAlias(url, of: entry) : try builder.addAlias(url, of: entry, status: status)
    }

    /// Records a redirect that is not a file of its own when unpacked (`role` 1), unless the URL has an entry already and the rule is not
    /// forced.
    private func recordRedirect(
        from url: CanonicalURL, to target: CanonicalURL, location: String? = nil, status: Int = 301,
        isForced: Bool = false
    ) throws(ArchiveError) {
        guard isForced || references[url] == nil else { return }
        let location = location ?? String(decoding: target.path, as: UTF8.self)
        let response = ArchiveResponse(
            status: status, headers: ["Location": location], redirectTarget: target.description)
        if options.appends, let old = try builder.unchangedEntry(url, response: response, body: nil, role: .alias) {
            references.set(old, for: url)
            return
        }
        references.set(try add(url, response, nil, .alias), for: url)
    }

    /// Records an empty folder, which is kept for unpacking.
    func record(emptyFolder path: [UInt8]) throws(ArchiveError) {
        do {
            let url = try urls.url(ofFolder: path)
            if options.appends, try builder.unchangedEntry(url, response: nil, body: nil, role: .unpackOnly) != nil {
                return
            }
            _ = try add(url, nil, nil, .unpackOnly)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError(
                .invalidArgument, "cannot form a URL for the folder", path: String(decoding: path, as: UTF8.self),
                cause: error)
        }
    }

    // MARK: - Redirect rules

    /// Returns whether a forced rule replaces a file. The rule is recorded later, for just this URL: it may match many, and
    /// a path with and without a trailing slash.
    private func isReplacedByRule(_ url: CanonicalURL) throws(ArchiveError) -> Bool {
        guard hasForcedRules, let redirects = rules.redirects else { return false }
        let path = String(decoding: url.path, as: UTF8.self)
        let matching = redirects.match(path: path, isForced: true, effort: effort)?.rule
        try checkEffort("_redirects")
        if let rule = forcedRules[url], let spelled = rule.staticPath, rule.line <= matching?.line ?? .max {
            replaced.append((rule, spelled))
        } else if let matching {
            replaced.append((matching, path))
        } else {
            return false
        }
        return true
    }

    /// Records the results of the redirect rules, after all files. Servers apply those that match many URLs, or only some clients.
    func recordRedirectRules() throws(ArchiveError) {
        defer {
            warnings += redirectWarnings.warnings(
                .moreRules, "rules that are not fully packed", path: "_redirects")
        }
        for (rule, path) in replaced { try record(rule, path) }
        guard let redirects = rules.redirects else { return }
        let host = urls.base.host.map { String(decoding: $0, as: UTF8.self) }
        for rule in redirects.rules {
            guard let path = rule.staticPath else {
                checkTarget(of: rule)
                continue
            }
            // An entry would take precedence over an earlier rule of wider scope.
            let first = redirects.first(matching: path, host: host, effort: effort)
            try checkEffort("_redirects")
            if first?.line == rule.line { try record(rule, path) }
        }
    }

    /// Warns of a rule whose content is not packed.
    private func checkTarget(of rule: RedirectRule) {
        guard rule.effect != .redirect, !rule.target.utf8.contains(UInt8(ascii: ":")),
            let target = try? urls.base.resolving(rule.target), content(at: target) == nil
        else { return }
        warn(.targetMissing, "nothing is packed for \(target)", rule)
    }

    /// Returns the entry that a reader finds for a URL of the site: its own, or that of the page whose ending it omits (specification
    /// section 8.5).
    private func content(at url: CanonicalURL) -> CommitBuilder.EntryReference? {
        if let own = references[url] { return own }
        guard url.query == nil, url.path.last != UInt8(ascii: "/") else { return nil }
        return (try? CanonicalURL(utf8: url.bytes + Array(".html".utf8))).flatMap { references[$0] }
    }

    /// Warns of a redirect to its own path: browsers would follow it until they give up.
    private func warnOfLoop(_ rule: RedirectRule) { warn(.redirectLoop, "redirects to itself; ignored", rule) }

    /// Adds a warning about the line of a rule in `_redirects`.
    private func warn(_ code: PackingWarning.Code, _ message: String, _ rule: RedirectRule) {
        redirectWarnings.add(code, PackingWarning(code, message, path: "_redirects", line: rule.line))
    }

    /// Records the result of a rule for one path: the redirect, or an alias of the target's content with the rule's status.
    ///
    /// A target that is not packed, and a result that is not a URL, are warnings.
    private func record(_ rule: RedirectRule, _ path: String) throws(ArchiveError) {
        do {
            let url = try urls.url(ofRequestPath: path)
            guard !ruled.contains(url) else { return }
            // A file wins over a rule that is not forced, and the first rule over later ones.
            if !rule.isForced, content(at: url) != nil { return }
            guard let text = rule.target(forPath: path) else {
                // A static rule matches its own path, unless it leads to it.
                if rule.effect == .redirect, rule.staticPath != nil { warnOfLoop(rule) }
                return
            }
            let target = try urls.base.resolving(text)
            guard rule.effect != .redirect || target != url else { return warnOfLoop(rule) }
            if rule.staticPath == nil { try addFilled(text.utf8.count + target.bytes.count, "_redirects") }
            switch rule.effect {
            case .redirect:
                try recordRedirect(
                    from: url, to: target, location: text, status: rule.status, isForced: rule.isForced)
            case .rewrite, .error:
                guard let content = content(at: target) else {
                    warn(.targetMissing, "nothing is packed for \(target)", rule)
                    return
                }
                references.set(try alias(url, of: content, status: rule.status), for: url)
            }
            ruled.insert(url)
        } catch let error as ArchiveError {
            throw error
        } catch {
            warn(.noURL, "cannot form a URL: \(error)", rule)
        }
    }
}
