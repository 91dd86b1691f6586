// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The main page of a packed archive: the given one, or else the only obvious one among the files.
struct MainPage {
    let tree: SourceTree
    let urls: SiteURLs
    let builder: CommitBuilder
    let recorder: EntryRecorder
    /// The rules by which a server responds to URLs without an entry; nil without a rule file.
    let redirects: RedirectRules?

    /// The usual names of main pages, the commonest first.
    private static let usualNames = [
        "index.html", "index.htm", "index.xhtml", "default.html", "default.htm", "home.html", "home.htm", "main.html",
        "start.html", "welcome.html", "contents.html", "toc.html", "readme.html",
    ]
    /// The number of pages that a message lists.
    private static let listed = 5
    /// The number of pages among which the nearest ones are searched.
    private static let compared = 20_000

    /// Returns the URL of the given page, also if its file has `.html` or a slash after the given name.
    ///
    /// - Throws: `invalidArgument`, with the nearest pages, if no packed file matches it.
    func url(of page: String) throws(ArchiveError) -> CanonicalURL {
        guard let url = try? urls.base.resolving(page) else {
            throw ArchiveError(.invalidArgument, "the main page '\(page)' is not a URL")
        }
        for ending in ["", ".html", "/"] {
            guard
                let candidate = try? CanonicalURL(
                    utf8: Array(url.root) + url.path + ending.utf8 + url.bytes[url.path.endIndex...]),
                try isServed(candidate)
            else { continue }
            return candidate
        }
        throw ArchiveError(.invalidArgument, "the main page \(url) is not among the packed files" + nearest(to: url))
    }

    /// Returns the obvious page, if there is no response to the base URL, and a warning about the choice; both nil without a need.
    func choice() throws(ArchiveError) -> (url: CanonicalURL?, warning: PackingWarning?) {
        guard try !isServed(urls.base) else { return (nil, nil) }
        var pages = pages
        let least = pages.map { depth($0) }.min() ?? 0
        pages = pages.filter { depth($0) == least }
        let best = pages.compactMap(rank).min()
        let candidates = best == nil ? pages : pages.filter { rank($0) == best }
        guard let first = candidates.first else { return (nil, nil) }
        let url = try urls.url(of: first, in: tree)
        if candidates.count == 1, try isServed(url) {
            let message = "chosen as the main page, since the folder has no \(Self.usualNames[0]) at its top level"
            return (url, PackingWarning(.mainPageChosen, message, path: tree.files[first].displayPath))
        }
        let names = candidates.prefix(Self.listed).map { tree.files[$0].displayPath }.joined(separator: ", ")
        let more = candidates.count > Self.listed ? " and \(candidates.count - Self.listed) more" : ""
        let message = "not at the top level of the folder, and several pages may be the main page: \(names)\(more)"
        return (nil, PackingWarning(.noMainPage, message, path: Self.usualNames[0]))
    }

    /// Returns whether the archive has a response to a URL: an entry of this run, one of the newest entries of earlier commits, or a
    /// redirect rule.
    private func isServed(_ url: CanonicalURL) throws(ArchiveError) -> Bool {
        if recorder.hasEntry(url) { return true }
        for entry in try builder.existingEntries(of: url, atMost: Self.listed) where try entry.role.isServed {
            return true
        }
        return redirects?.match(path: String(decoding: url.path, as: UTF8.self)) != nil
    }

    // MARK: - Pages

    /// The numbers of all HTML and XHTML files, by their media types.
    private var pages: [Int] {
        tree.files.indices.filter { ["text/html", "application/xhtml+xml"].contains(tree.type($0).name) }
    }

    /// Returns the number of folders above a file, within its source.
    private func depth(_ file: Int) -> Int { tree.files[file].path.count { $0 == UInt8(ascii: "/") } }

    /// Returns the place of a file's name among the usual ones, without regard to ASCII case; nil for any other name.
    private func rank(_ file: Int) -> Int? {
        let name = String(decoding: tree.files[file].name, as: UTF8.self).asciiLowercased
        return Self.usualNames.firstIndex(of: name)
    }

    /// Returns `; the nearest are …`, from the paths of the pages; empty without any.
    private func nearest(to url: CanonicalURL) -> String {
        let path = String(decoding: url.path, as: UTF8.self)
        let near = pages.prefix(Self.compared).map { file -> (distance: Int, path: String) in
            let own = (try? urls.url(of: file, in: tree)).map { String(decoding: $0.path, as: UTF8.self) } ?? ""
            return (EditDistance.between(path.asciiLowercased, own.asciiLowercased), own)
        }
        let paths = near.sorted { ($0.distance, $0.path) < ($1.distance, $1.path) }.prefix(3).map(\.path)
        return paths.isEmpty ? "" : "; similar: \(paths.joined(separator: ", "))"
    }
}
