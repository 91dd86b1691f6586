// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import Logging
import NIOCore
import Synchronization
import WebArchive
package import WebArchiveReplay

/// The shared state of the connections of a server: archives, counters, logs, and the pages of the server's own.
///
/// ```swift
/// var options = ReplayService.Options()
/// options.ownNames = ["docs.example"]
/// let service = ReplayService(
///     try ArchiveLibrary(["docs.webarc"]), options: options, log: AccessLog(.standardOutput), logger: Logger(label: "docs"))
/// ```
public final class ReplayService: Sendable {
    /// The options of a service, in addition to its archives.
    public struct Options: Sendable {
        /// Whether `/-/health`, `/-/metrics` and the explorer, `/-/`, exist. True by default; without them `/-/` is the archives'.
        public var hasServerPages = true
        /// The maximum length of content that was read but not sent yet, of all connections together, in bytes. 128 MiB by default.
        ///
        /// A client's address gets no more than is left for all others; beyond that it is served in small pieces, or waits.
        public var maximumUnsentLength = 128 << 20
        /// The additional names and addresses of the server, besides those of this machine: in any case; a port is left out.
        /// None by default.
        ///
        /// Others get 421 (RFC 9110 section 15.5.20): a page of a different name that resolves here (DNS rebinding) must not read the archives,
        /// nor the server's own pages.
        public var ownNames: Set<String> = []
        /// A domain of this server: the sites of a catalogue have the names directly below it. Nil: only `localhost`.
        ///
        /// The server responds under it, and under every name below it.
        public var domain: String?
        /// The maximum length of a request's content, in bytes; 8 MiB by default. More gets 413. It is hashed as it arrives. Up to 64 KiB of a POST are kept.
        public var maximumRequestLength = 8 << 20
        /// The clients that get content in a coding that they accept, zstd or gzip (RFC 9110 section 8.4). Text from 1 KiB to 8 MiB is
        /// coded, and the result is kept in the cache.
        public var coding = Coding.remoteClients

        /// A choice of the clients whose responses are coded. The raw value is that of `webarc serve --compress`.
        public enum Coding: String, CaseIterable, Sendable {
            /// Clients on other machines: a network is slower than coding, and loopback is faster.
            case remoteClients = "auto"
            /// All clients.
            case allClients = "always"
            /// No clients.
            case noClients = "never"
        }

        /// Whether a client that uses this server as its proxy, and navigates to a page that no archive has, stays on its page (it gets 204, RFC
        /// 9110 section 15.3.5); otherwise it sees a page that explains it. False by default.
        public var ignoresLinksOutside = false
        /// Whether clients that use this server as their proxy find a list of the archives at ``KioskStartPage/address``.
        package var hasStartPage = false
        /// A function that is called for every page that such a client navigates to, except frames; nil by default.
        ///
        /// It is called before the response is sent, on a thread of the server, from several at once; it must not block.
        public var onNavigation: (@Sendable (Navigation) -> Void)?
        /// A function that is called for each response of the archives, with its request; nil by default.
        ///
        /// It is called as ``onNavigation`` is, and twice for a response that has to be made again when there is room for it.
        package var onResponse: (@Sendable (ReplayRequest, ReplayResponse) -> Void)?
        /// The document of a report of `webarc prove`, to which the explorer leads; nil, as by default, for none. It gets no rights to load anything.
        package var report: [UInt8]?
        /// The usage for `/-/usage` and `/-/metrics`; nil if there is none.
        package var usage: ProgramUsage?

        /// Creates options with the defaults of `webarc serve`.
        public init() {}
    }

    /// The served sites.
    let sites: ServedSites
    /// The archives of the only served site; nil if there are many.
    public var library: ArchiveLibrary? {
        if case .one(let library) = sites { library } else { nil }
    }
    /// The counters of `/-/metrics`.
    public let counters = ReplayCounters()
    /// The options of the service.
    public let options: Options
    /// The access log; nil without one.
    let log: AccessLog?
    /// The logger for faults, of which repeated ones are limited.
    let logger: Logger
    /// The misses since the start, for the explorer.
    let misses = MissingPageLog()
    /// The limit of lines on unreadable entries, since one damaged archive may cause any number of them.
    private let unreadableLines = LineLimit(most: 10)
    /// The server's own pages, which exist even if the options hide them.
    private let ownPages: ServerPages
    /// The memory for unsent content, of all connections together.
    let budget: ContentBudget
    /// Whether the refusal of a service worker has been logged.
    private let toldOfServiceWorker = Atomic(false)
    /// The last value of the `Date` field, with its second since 1970.
    private let clock = Mutex((second: Int64.min, text: ""))

    /// The page at which a browser that uses this server as its proxy begins.
    package var startAddress: String? {
        options.hasStartPage ? KioskStartPage.address : library?.responder.site.mainPage.description
    }

    /// Creates a service for one site, which is served under all names of the server.
    ///
    /// - Parameters:
    ///   - library: the archives of the site.
    ///   - options: the defaults of `webarc serve` by default.
    ///   - log: the log for a line of each request; nil, as by default, for none.
    ///   - logger: the logger for unreadable archives and other faults.
    public convenience init(
        _ library: ArchiveLibrary, options: Options = Options(), log: AccessLog? = nil, logger: Logger
    ) {
        self.init(.one(library), options: options, log: log, logger: logger)
    }

    /// Creates a service for the sites of a catalogue, each at a host name of its own: `name.localhost`, and below ``Options/domain``.
    /// Under all other names of the server is a page that lists them.
    ///
    /// - Parameters:
    ///   - catalogue: the sites. A client waits half a second at most for one that is being opened, and then gets a response to retry.
    ///   - options: the defaults of `webarc serve` by default.
    ///   - log: the log for a line of each request; nil, as by default, for none.
    ///   - logger: the logger for unreadable archives and other faults.
    public convenience init(
        _ catalogue: ArchiveCatalogue, options: Options = Options(), log: AccessLog? = nil, logger: Logger
    ) {
        self.init(
            .many(catalogue, domain: options.domain.flatMap(ServerNames.host)), options: options, log: log,
            logger: logger)
    }

    /// Creates a service with empty counters and caches.
    private init(_ sites: ServedSites, options: Options, log: AccessLog?, logger: Logger) {
        self.sites = sites
        self.options = options
        self.log = log
        self.logger = logger
        budget = ContentBudget(limit: options.maximumUnsentLength)
        ownPages = ServerPages(
            names: Set(options.ownNames.compactMap(ServerNames.host)), counters: counters, usage: options.usage,
            section: Explorer(report: options.report))
    }

    /// The part of the server that responds to a request.
    enum Route: Equatable, Sendable {
        /// The archives of a site, or a page about a missing one.
        case archives
        /// The server itself; if that takes long, it must not block an event loop.
        case ownPages(takesLong: Bool)
        /// The server, which redirects from the explorer's host to the site.
        case siteOfExplorer
        /// No part: the request is not under a name of the server.
        case misdirected
    }

    /// Returns the part of the server that responds to a request.
    ///
    /// It reads no archive, and so is cheap enough for every request on an event loop.
    ///
    /// - Parameters:
    ///   - isDirect: whether the client addresses this server as the origin.
    ///   - place: the part of the server that the request's authority represents.
    func route(_ request: ReplayRequest, isDirect: Bool, place: @autoclosure () -> ServerNames.Place) -> Route {
        guard isDirect else { return .archives }
        if options.hasServerPages, let path = request.head.path, ServerPages.contains(path) {
            return .ownPages(takesLong: ownPages.takesLong(path))
        }
        switch place() {
        case .sites: return .archives
        case .elsewhere: return .misdirected
        // There is never a site whose service worker would wait for an explorer.
        case .explorer: return options.hasServerPages ? .siteOfExplorer : .misdirected
        }
    }

    /// Returns the response to a request.
    ///
    /// It may take seconds for a page of the explorer, and blocks up to half a second for an archive that is being
    /// opened.
    func respond(to request: ReplayRequest, by route: Route) -> ReplayResponse {
        if let response = response(to: request, by: route, isQuick: false) { return response }
        return NoticePage(title: "Not now", text: ["The response took too long to find."])
            .response(.serviceUnavailable, outcome: .own, isHead: request.head.method == .head)
    }

    /// Returns the response to a request; nil if finding it takes longer than other clients may wait for it.
    ///
    /// Then ``respond(to:by:)`` must be called on another thread. A site that is not open is one such case.
    func respondQuickly(to request: ReplayRequest, by route: Route) -> ReplayResponse? {
        response(to: request, by: route, isQuick: true)
    }

    /// The time that a client waits for an archive to be opened before it gets a response to retry, in milliseconds.
    private static let patience = 500

    /// Returns the response to a request by its route; nil if it takes longer than a quick request may.
    ///
    /// - Parameter isQuick: whether other clients wait for it: then no archive is waited for, and no list of archives is made.
    private func response(to request: ReplayRequest, by route: Route, isQuick: Bool) -> ReplayResponse? {
        if route == .misdirected { return misdirected(request) }
        if route == .siteOfExplorer {
            let response = ServerPages.redirectFromExplorer(request.head)
            return StaleServiceWorker.response(to: request, response) ?? response
        }
        let place = sites.place(of: request.head, patience: isQuick ? 0 : Self.patience)
        if case .ownPages = route {
            // The pages of the machine are of no site.
            let responder = if case .site(let responder) = place { responder } else { nil as ReplayResponder? }
            let withoutSite = if case .own(let response) = place { response } else { nil as ReplayResponse? }
            return ownPages.respond(
                to: ServerPageRequest(request.head, responder: responder, withoutSite: withoutSite, misses: misses))
        }
        switch place {
        case .notYet: return nil
        case .own(let response): return StaleServiceWorker.response(to: request, response) ?? response
        case .site(let responder):
            if options.hasStartPage, KioskStartPage.contains(request) {
                // Reads archives.
                if isQuick { return nil }
                let response = KioskStartPage.response(to: request, from: responder.site)
                if request.isNavigation {
                    options.onNavigation?(Navigation(isMainPage: true, isMissing: false, isRedirect: false))
                }
                return response
            }
            let limits = serviceWorkerLimits(request)
            if let refusal = limits?.refusal(isHead: request.head.method == .head) {
                logServiceWorker()
                return refusal
            }
            let response = isQuick ? responder.respondQuickly(to: request) : responder.respond(to: request)
            return response.map { finished($0, to: request, from: responder.site, limits) }
        }
    }

    /// Logs once why a site that needs its service worker does not have it: no one sees the response to its request.
    ///
    /// It is logged once in the lifetime of the service.
    private func logServiceWorker() {
        guard toldOfServiceWorker.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
            return
        }
        logger.notice(
            """
            refused a service worker for the whole site, which could read the explorer under this name (--name); it can run under \
            localhost, or with --no-own-pages
            """
        )
    }

    /// Returns 421, for a name that is not this server's (RFC 9110 section 15.5.20).
    private func misdirected(_ request: ReplayRequest) -> ReplayResponse {
        // RFC 9110 section 15.5.20.
        return NoticePage(
            title: "Not available under this name",
            text: [
                """
                The server responds under localhost, under the addresses on which it listens, and under the names and addresses \
                given with --name.
                """
            ]
        ).response(.misdirectedRequest, outcome: .own, isHead: request.head.method == .head)
    }

    /// Returns the limits for service workers of a request; nil for a site that shares no origin with the server's own
    /// pages.
    private func serviceWorkerLimits(_ request: ReplayRequest) -> ServiceWorkerLimits? {
        guard request.addressing == .mainPageOrigin, options.hasServerPages,
            ownPages.sharesOrigin(request.head.authority)
        else { return nil }
        return ServiceWorkerLimits(request.head)
    }

    /// Returns the response for sending: limited for service workers, and, for a visitor who left the archives, replaced with
    /// 204.
    ///
    /// The function for navigations is called here, except for frames.
    private func finished(
        _ found: ReplayResponse, to request: ReplayRequest, from site: ReplaySite, _ limits: ServiceWorkerLimits?
    ) -> ReplayResponse {
        var response = StaleServiceWorker.response(to: request, found) ?? found
        limits?.apply(to: &response)
        options.onResponse?(request, response)
        guard request.addressing == .ownOrigins, request.isNavigation else { return response }
        let isMissing = if case .missing = response.outcome { true } else { false }
        if !["iframe", "frame"].contains(request.head.headerFields[.fetchDestination]) {
            options.onNavigation?(
                Navigation(
                    isMainPage: response.url == site.mainPage, isMissing: isMissing,
                    isRedirect: response.head.status.kind == .redirection))
        }
        guard options.ignoresLinksOutside, isMissing else { return response }
        // RFC 9110 section 15.3.5: the page that exists stays.
        return ReplayResponse(HTTPResponse(status: .noContent), outcome: .missing, url: response.url)
    }

    /// Counts the outcome of a request, and logs missing and damaged entries.
    ///
    /// It is called once for each response, before its head is sent.
    func note(_ response: ReplayResponse) {
        switch response.outcome {
        case .responded:
            // A person sees which requests a rule guessed at.
            if let url = response.url, !ArchiveMatcher.Options.recordingRules.isDisjoint(with: response.rules) {
                misses.note(url.description, rules: response.rules)
            }
        case .own:
            break
        case .missing:
            counters.count(.missing)
            if let url = response.url { misses.note(url.description) }
        case .failed(let error):
            noteUnreadable(response.url?.description ?? "?", error)
        }
    }

    /// Counts a request for an unreadable entry, and logs it, unless many were logged just now.
    ///
    /// Requests whose content proves unreadable while it is sent are counted as well. At most ten lines a minute are
    /// logged.
    ///
    /// - Parameter request: the URL, or the request line if there is none.
    func noteUnreadable(_ request: String, _ error: ArchiveError) {
        counters.count(.failed)
        if error.code == .untrusted { counters.count(.untrusted) }
        guard let more = unreadableLines.words() else { return }
        logger.error("\(request): \(error)\(more)")
    }

    /// Notes a tunnel whose client did not complete TLS.
    ///
    /// The access log gets a line for the tunnel, with the status 200 that it had.
    ///
    /// - Parameter isMissing: whether no archive has the host, so that there is no certificate that the client could trust.
    func noteFailedTunnel(_ connection: ReplayConnection, isMissing: Bool) {
        guard let host = connection.tunnel else { return }
        if isMissing {
            counters.count(.missing)
            misses.note("https://\(host)/")
        }
        log?.write(
            AccessLogEntry(
                address: connection.address, time: Self.now, requestLine: "CONNECT \(host) HTTP/1.1", status: 200,
                length: 0
            ).text)
    }

    /// The present time, in nanoseconds since 1970.
    static var now: Int64 { ArchiveTime.now().nanoseconds }

    /// Returns the value of a `Date` field for a time.
    ///
    /// It is formatted once for each second (RFC 9110 section 5.6.7).
    ///
    /// - Parameter now: the time in nanoseconds since 1970.
    func date(_ now: Int64) -> String {
        let second = now / 1_000_000_000
        return clock.withLock { clock in
            if clock.second != second { clock = (second, HTTPDate.text(nanoseconds: now)) }
            return clock.text
        }
    }
}

extension ReplayService {
    /// A page that a client of the proxy navigated to; see ``Options/onNavigation``.
    public struct Navigation: Sendable {
        /// Whether it is the main page of the archives, or the list of several.
        public let isMainPage: Bool
        /// Whether no archive has it.
        public let isMissing: Bool
        /// Whether it is a redirect (a status from 300 to 399): the client navigates to another page next.
        public let isRedirect: Bool
    }
}
