// SPDX-License-Identifier: Apache-2.0

/// The end of an earlier visit of a page. A visit that has come to the same one is complete without the whole time of ``VisitOptions/idle``.
package struct VisitExpectation: Sendable {
    /// A request, without its body.
    package struct Target: Hashable, Sendable {
        private let method: String
        private let url: String

        /// Creates a target of a URL as a browser reports it.
        package init(method: String, url: String) { (self.method, self.url) = (method, url) }
    }

    /// The requests of the earlier visit.
    package let targets: Set<Target>
    /// The text that the page showed at its end.
    package let text: String
    /// Whether the page may come to its end before it is scrolled; false by default.
    package var sparesBehaviours = false

    /// The time without a request after which a page may have come to its end: one in which scripts act on the last response.
    static let idle = Duration.milliseconds(100)

    /// Creates an expectation.
    package init(targets: Set<Target>, text: String) { (self.targets, self.text) = (targets, text) }
}
