// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The pages that an archive has from earlier runs: they and their links are the checkpoint of a crawl.
struct FinishedPages {
    private let archive: ArchiveReader?
    /// The numbers of the records with the observations; their links are read when the walk comes to them.
    private var records: [CanonicalURL: Int] = [:]

    /// The list of a crawl that visits all pages.
    static let none = FinishedPages()

    private init() { archive = nil }

    /// Returns whether a page is finished.
    func contains(_ url: CanonicalURL) -> Bool { records[url] != nil }

    /// Reads the list of the pages of an archive, if it exists.
    ///
    /// - Throws: errors of opening an archive.
    init(_ path: FilePath) throws(ArchiveError) {
        guard FileStatus(of: path) != nil else {
            archive = nil
            return
        }
        let archive = try ArchiveReader(path: path)
        self.archive = archive
        let limited = archive.limitedToOnePass()
        for number in 0..<archive.recordCount {
            let headers = try limited.record(number).record.headers
            guard headers["Content-Type"] == PageObservation.mediaType,
                let url = headers["WARC-Target-URI"].flatMap({ try? CanonicalURL($0) })
            else { continue }
            records[url] = number
        }
    }

    /// Returns the links of a page that is finished; nil for any other page.
    func links(of url: CanonicalURL) -> [String]? {
        guard let archive else { return nil }
        if let number = records[url] {
            let budget = DecodingBudget(for: "a page", bytes: 4 * PageObservation.maximumLength)
            let stored = archive.limited(to: budget).record(number)
            // A damaged record is one of a page that must be visited again.
            return (try? PageObservation(stored, budget: budget))??.links
        }
        return isFile(url) ? [] : nil
    }

    /// Returns whether the archive has the URL as a file that is not a page.
    private func isFile(_ url: CanonicalURL) -> Bool {
        guard PlainFile.isLikely(url), let entry = try? archive?.entry(for: url) else { return false }
        guard let response = try? entry.response else { return false }
        return response.status == 200 && response.truncation == nil && !PlainFile.isPage(response.mediaType)
    }

    /// Returns the newest response to a GET, with the beginning of its body and the target of a redirect; nil if there is none, or it is truncated.
    func response(
        _ url: CanonicalURL, maximumLength: Int
    ) -> (status: Int, body: [UInt8], redirectTarget: String?)? {
        guard let entry = try? archive?.entry(for: url), let response = try? entry.response, response.truncation == nil
        else { return nil }
        let target = response.redirectTarget(from: url)
        guard let body = try? entry.body else { return (response.status, [], target) }
        let bytes = try? body.bytes(in: 0..<min(body.length, UInt64(maximumLength)))
        return bytes.map { (response.status, $0, target) }
    }
}

/// The distinction of pages from files that a browser would only save or show, by their URLs and media types.
enum PlainFile {
    private static let pageTypes: Set<String> = ["text/html", "application/xhtml+xml", "text/xml", "application/xml"]
    /// The suffixes of programs of servers, whose responses may be anything.
    private static let programs: Set<String> = [
        "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "jsp", "jspx", "cgi", "pl", "py", "cfm", "do",
    ]

    /// Returns whether the path of a URL has the suffix of a file that is not a page.
    static func isLikely(_ url: CanonicalURL) -> Bool {
        let last = url.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        let name = String(decoding: last, as: UTF8.self)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        let suffix = String(name[name.index(after: dot)...]).asciiLowercased
        guard !programs.contains(suffix), let type = MediaTypes.type(ofExtension: suffix) else { return false }
        return !isPage(type)
    }

    /// Returns whether a browser shows content of this type as a page, or may do so.
    static func isPage(_ mediaType: String?) -> Bool { mediaType.map(pageTypes.contains) ?? true }
}
