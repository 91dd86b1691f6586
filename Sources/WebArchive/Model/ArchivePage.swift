// SPDX-License-Identifier: Apache-2.0

/// A document that a person would open, in a list of pages. Specification section 7, "Page".
public struct ArchivePage: Hashable, Sendable {
    /// The URL as given, absolute.
    public var url: String
    /// The time of the capture; nil for the newest one.
    public var time: ArchiveTime?
    /// The title; nil if it is unknown.
    public var title: String?
    /// The status of the document, 100 to 999; 0 if it is unknown.
    public var status: Int
    /// Whether a crawl began at this page.
    public var isSeed: Bool
    /// The number of links between the page and a seed.
    public var depth: Int

    /// Creates a page. It checks nothing.
    ///
    /// - Parameters:
    ///   - url: an absolute URL.
    ///   - time: nil, the default, for the newest capture.
    ///   - title: nil by default, for unknown.
    ///   - status: the status; 0 by default, for unknown.
    ///   - isSeed: whether a crawl began there; false by default.
    ///   - depth: the number of links; 0 by default.
    public init(
        url: String, time: ArchiveTime? = nil, title: String? = nil, status: Int = 0, isSeed: Bool = false,
        depth: Int = 0
    ) {
        (self.url, self.time, self.title, self.status) = (url, time, title, status)
        (self.isSeed, self.depth) = (isSeed, depth)
    }
}
