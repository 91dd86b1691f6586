// SPDX-License-Identifier: Apache-2.0

extension ReplayService {
    /// A page that a client of the proxy went to; see ``Options/onNavigation``.
    public struct Navigation: Sendable {
        /// Whether it is the main page of the archives, or the list of several.
        public let isMainPage: Bool
        /// Whether no archive has it.
        public let isMissing: Bool
        /// Whether it is a redirect (a status from 300 to 399): the client goes to another page next.
        public let isRedirect: Bool
    }
}
