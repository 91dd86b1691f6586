// SPDX-License-Identifier: Apache-2.0

/// The options of a visit.
package struct VisitOptions: Sendable {
    /// The time without a request after which a page is idle; half a second by default.
    package var idle = Duration.milliseconds(500)
    /// The time after which a loaded page that is never idle counts as complete; ten seconds by default.
    package var maximumBusy = Duration.seconds(10)
    /// The time for the whole visit; one minute by default.
    package var limit = Duration.seconds(60)
    /// Whether to scroll, to load lazy images, and to start films; true by default.
    package var hasBehaviours = true
    /// The number of times that a page that grows is scrolled to its end.
    package var scrollCount = 5
    /// A script that runs in the page once it has loaded, and may return a promise; nil, as by default, for none.
    package var script: String?
    /// A script that runs in each document before any of its own; nil, as by default, for none.
    package var prelude: String?
    /// The name of a function that ``prelude`` finds, and by which it reports texts; nil, as by default, for none.
    package var reporter: String?
    /// Whether to take a picture; false by default.
    package var takesScreenshot = false
    /// Whether to list links and resources; true by default.
    package var readsLinks = true
    /// The end that the page is known to come to; nil, as by default, if nothing is known.
    package var expectation: VisitExpectation?
    /// Whether the browser may use its cache; true by default. A response from it is a request all the same.
    package var usesCache = true

    /// Creates the default options.
    package init() {}
}
