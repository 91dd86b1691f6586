// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
package import WebArchive
package import WebArchiveBrowser
package import WebArchiveRecording

/// The options of a crawl.
package struct CrawlOptions: Sendable {
    /// The scope.
    package var scope: CrawlScope
    /// The limits; none by default.
    package var limits = CrawlLimits()
    /// The number of tabs; two by default.
    package var tabs = 2
    /// The time between the starts of two pages of one host; zero by default. The wish of a robots.txt counts if it is longer.
    package var delay = Duration.zero
    /// Whether finished pages are visited again; false by default. Responses that did not change are not stored again.
    package var refreshes = false
    /// Whether robots.txt is obeyed; true by default.
    package var obeysRobots = true
    /// Whether pages are found by sitemaps as well; true by default.
    package var usesSitemaps = true
    /// The options of each visit.
    package var visit = VisitOptions()
    /// The clock and the random numbers of pages, which replays of a proof have as well; those of the browser by default.
    package var conditions = PageConditions()
    /// The options of the proxy. Its port, its commits and its report of exchanges belong to the crawl.
    package var proxy = RecordingProxy.Options()
    /// The folder of a prepared profile of the browser, such as one that is logged in, which is copied; nil, as by default, for none.
    package var profile: FilePath?
    /// The fields that requests to the hosts of the seeds get; none by default. Other hosts do not get them.
    package var fields: HeaderFields = []

    /// The product token of the crawler in robots.txt.
    package static let agent = "webarc"

    /// Creates the default options for a scope.
    package init(scope: CrawlScope) { self.scope = scope }
}
