// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A capture among others of the same request. Specification section 8.5.
struct StoredCapture: Sendable {
    /// The time of the capture; nil for an unknown one.
    private(set) var time: ArchiveTime?
    /// Whether the archive has captures of other times.
    private(set) var isOneOfSeveral = false
    /// Whether the capture nearest to the time of the page is the response to the request of a page for one of its parts.
    private(set) var followsPage = false

    /// Creates a capture for content that is a response to other requests than its own.
    init() {}

    /// Creates the capture of a match. Reads the time of the entry.
    init(_ match: ArchiveMatch) throws(ArchiveError) {
        time = try match.entry.time
        isOneOfSeveral = match.isOneOfSeveral
        followsPage = match.followsPage
    }
}

extension ArchiveMatch {
    /// Whether another capture may be better for a part of a page: one of several, in an archive that recorded the web.
    ///
    /// In an archive that a site was packed into, the captures are editions: an old page needs the newest style sheet.
    var followsPage: Bool { isOneOfSeveral && entry.archive.isRecording }
}

extension SiteMatcher.Result {
    /// Whether another capture may be better for a part of a page; see ``ArchiveMatch/followsPage``.
    var followsPage: Bool {
        if rule == nil, case .entry(let match, nil)? = response { match.followsPage } else { false }
    }
}

extension ArchiveReader {
    /// Whether the archive recorded the web, since it has records of a WARC file or a list of pages.
    fileprivate var isRecording: Bool { recordCount > 0 || pageCount > 0 }
}
