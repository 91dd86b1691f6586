// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchive
import WebArchiveReplay

/// The sites of a server: one, under all of its names, or those of a catalogue, each under its own.
enum ServedSites: Sendable {
    /// A library of one site, which responds for every host of the server.
    case one(ArchiveLibrary)
    /// The sites of a catalogue.
    ///
    /// - Parameter domain: the domain of the sites, in addition to `localhost`.
    case many(ArchiveCatalogue, domain: String?)

    /// The part of the server that a request is for.
    enum Place {
        case site(ReplayResponder)
        /// A response of the server itself.
        case own(ReplayResponse)
        /// A site that is not open yet.
        ///
        /// Only a request with a patience of 0 gets it: the caller waits on another thread.
        case notYet
    }

    /// Finds the part that a request is for.
    ///
    /// A host below the domain that is not a site is refused with 404, and an archive that cannot be opened has 500.
    /// Any other host gets the start page of the catalogue, and 404 for its other paths.
    ///
    /// - Parameter patience: the time that an archive may take to be opened, in milliseconds; 0 to wait for none.
    func place(of head: HTTPRequest, patience: Int) -> Place {
        guard case .many(let catalogue, let domain) = self else {
            guard case .one(let library) = self else { return .notYet }
            return .site(library.responder)
        }
        let isHead = head.method == .head
        let named = head.authority.flatMap(ServerAuthority.init)
        let authority = named?.ofSite
        let (host, port) = (authority?.host ?? "", authority?.port ?? "")
        let domains = [domain, "localhost"].compactMap(\.self)
        let own = domains.first { host == $0 || host.hasSuffix("." + $0) }
        guard let own, host != own else {
            let domain = own ?? domain ?? "localhost"
            let isOfExplorer = named?.isOfExplorer == true && head.path == "/-/"
            guard isOfExplorer || StartPage.contains(head.path) else {
                return .own(Self.missing(isHead, "http://\(domain)\(port)/"))
            }
            let items = catalogue.sites.map { site in
                let address =
                    isOfExplorer
                    ? "http://\(site.name).\(ServerAuthority.explorerLabel).localhost\(port)/-/"
                    : "http://\(site.name).\(domain)\(port)/"
                return StartPage.Item(name: site.name, address: address, description: site.description)
            }
            // Those of the explorer lead to the sites, which are below the same domain.
            let source = StartPage.imageSource("http", host: "*.\(isOfExplorer ? "localhost" : domain)", port: port)
            let page = StartPage(items, imageSources: source.map { [$0] } ?? [], for: head)
            return .own(page.response(isHead: isHead))
        }
        guard let site = catalogue.site(named: String(host.dropLast(own.count + 1))) else {
            return .own(Self.missing(isHead, "http://\(own)\(port)/"))
        }
        switch catalogue.library(of: site, patience: patience) {
        case .open(let library): return .site(library.responder)
        case .failed(let error): return .own(Self.failed(error, isHead))
        case nil: return patience == 0 ? .notYet : .own(Self.slow(isHead))
        }
    }

    /// Returns 404, with a link to the start page.
    private static func missing(_ isHead: Bool, _ start: String) -> ReplayResponse {
        NoticePage(
            title: "No such site", text: ["The server has no site at this address."], wayOut: ("To all sites", start)
        ).response(.notFound, outcome: .own, isHead: isHead)
    }

    /// Returns 500 with the message of the error, which also becomes the outcome for the log.
    private static func failed(_ error: ArchiveError, _ isHead: Bool) -> ReplayResponse {
        NoticePage(title: "This archive cannot be opened", text: [error.message])
            .response(.internalServerError, outcome: .failed(error), isHead: isHead)
    }

    /// Returns 503 (RFC 9110 section 15.6.4); browsers load the page again.
    private static func slow(_ isHead: Bool) -> ReplayResponse {
        var response = NoticePage(title: "One moment", text: ["The archive is being opened."])
            .response(.serviceUnavailable, outcome: .own, isHead: isHead)
        response.head.headerFields[.retryAfter] = "1"
        if let refresh = HTTPField.Name("Refresh") { response.head.headerFields[refresh] = "1" }
        return response
    }
}
