// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive
import WebArchiveReplay

/// The server's own pages, under `/-/`.
struct ServerPages: Sendable {
    /// The hosts of ``ReplayService/Options/ownNames``.
    let names: Set<String>
    /// The counters for `/-/metrics`.
    let counters: ReplayCounters
    /// The usage of the program around the server; nil if there is none.
    let usage: ProgramUsage?
    /// The section for all other pages: the explorer.
    let section: any ServerPagesSection

    /// Responds to a request for one of the pages: 421 for a name that is not the server's, 405 for a method other than GET and HEAD, 403 for
    /// scripts; browsers are redirected to the explorer's host first.
    ///
    /// Only health, metrics and usage respond under any IP address, for programs that monitor it.
    func respond(to request: ServerPageRequest) -> ReplayResponse {
        let isOfMachine = ["/-/health", "/-/metrics", "/-/usage"].contains(request.path)
        guard isOwnName(request.head.authority, orAnyAddress: isOfMachine) else {
            return NoticePage(
                title: "Not available under this name",
                text: [
                    """
                    The server's own pages are available under localhost, and under the names and addresses given with --name.
                    """
                ]
            ).response(.misdirectedRequest, outcome: .own, isHead: request.isHead)
        }
        guard request.head.method == .get || request.isHead else {
            var response = NoticePage(title: "Read-only", text: []).response(.methodNotAllowed, outcome: .own)
            response.head.headerFields[.allow] = "GET, HEAD"
            return response
        }
        let metadata = FetchMetadata(request.head)
        if metadata.isOfBrowser, let explorer = authorityOfExplorer(request.head.authority) {
            guard metadata.isNavigation else { return Self.notForScripts(isHead: request.isHead) }
            return Self.redirect(to: explorer, request.head)
        }
        if isOfMachine, metadata.destination != "document" || metadata.isOfReplayedPage {
            return Self.notForScripts(isHead: request.isHead)
        }
        switch request.path {
        case "/-/health": return Self.text("ok\n", "text/plain; charset=utf-8", request.isHead)
        case "/-/metrics":
            let metrics = usage?.metrics().map(\.prometheusText).joined() ?? ""
            return Self.text(
                counters.prometheusText + metrics, "text/plain; version=0.0.4; charset=utf-8", request.isHead)
        case "/-/usage" where usage != nil:
            let json = usage?.json() ?? .null
            return Self.text(json.line + "\n", "application/json", request.isHead)
        default:
            return section.response(to: request)
                ?? NoticePage(
                    title: "No such page", text: ["The server has no page at this address."],
                    wayOut: ("To the main page", "/")
                ).response(.notFound, outcome: .own, isHead: request.isHead)
        }
    }

    /// Returns 403 with a title and no text.
    private static func notForScripts(isHead: Bool) -> ReplayResponse {
        NoticePage(title: "Not for scripts", text: []).response(.forbidden, outcome: .own, isHead: isHead)
    }

    /// Redirects a client to the same path and query under a different authority of the server (RFC 9110 section 15.4.8).
    ///
    /// It is 307, so that the method stays, and is not stored by clients.
    static func redirect(to authority: ServerAuthority, _ head: HTTPRequest) -> ReplayResponse {
        let fields: HTTPFields = [
            .location: "http://\(authority)\(head.path ?? "/")", .contentLength: "0", .cacheControl: "no-store",
        ]
        return ReplayResponse(HTTPResponse(status: .temporaryRedirect, headerFields: fields), outcome: .own)
    }

    /// Redirects from the explorer's host to the page of the site; a person who enters only the host, to the explorer.
    ///
    /// A person is recognized by a request that no page initiated.
    static func redirectFromExplorer(_ head: HTTPRequest) -> ReplayResponse {
        guard let authority = head.authority.flatMap(ServerAuthority.init) else { return notForScripts(isHead: false) }
        guard head.path == "/", head.headerFields[.fetchSite] ?? "none" == "none" else {
            return redirect(to: authority.ofSite, head)
        }
        var root = head
        root.path = "/-/"
        return redirect(to: authority, root)
    }

    /// Returns a response that is not a page: sandboxed wherever it is opened, and never stored by a client.
    ///
    /// - Parameters:
    ///   - type: the media type with its charset.
    ///   - isHead: whether only the head is sent, with the length of the content.
    static func text(
        _ text: String, _ type: String, _ isHead: Bool, status: HTTPResponse.Status = .ok
    ) -> ReplayResponse {
        let content = ByteBuffer(string: text)
        let fields: HTTPFields = [
            .contentType: type, .contentLength: String(content.readableBytes), .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "sandbox; default-src 'none'; frame-ancestors 'none'",
        ]
        return ReplayResponse(
            HTTPResponse(status: status, headerFields: fields), isHead ? [] : [.bytes(content)], outcome: .own)
    }

    /// Returns whether a path, with its query, is the server's own.
    static func contains(_ path: String) -> Bool {
        path.hasPrefix("/-") && (path.utf8.count == 2 || path.hasPrefix("/-/") || path.hasPrefix("/-?"))
    }

    /// Returns whether a page reads archives, and so may block an event loop for too long.
    ///
    /// - Parameter path: the path with its query.
    func takesLong(_ path: String) -> Bool { section.contains(String(path.prefix { $0 != "?" })) }

    /// Returns the authority under which a browser gets these pages, if it differs from the requested one. A replayed site's scripts and its service
    /// worker have the origin of the site, and must not have that of these pages.
    ///
    /// It is nil under a name that the operator added: the operator's own names have no explorer's host.
    private func authorityOfExplorer(_ authority: String?) -> ServerAuthority? {
        guard let authority = authority.flatMap(ServerAuthority.init), ServerNames.isLoopback(authority.host) else {
            return nil
        }
        return authority.isOfExplorer || names.contains(authority.host) ? nil : authority.ofExplorer
    }

    /// Returns whether a site under an authority has the origin of these pages, so that its service workers must be limited.
    func sharesOrigin(_ authority: String?) -> Bool {
        guard !names.isEmpty, let host = authority.flatMap(ServerAuthority.init)?.host else { return false }
        return names.contains(host)
    }

    /// Returns whether a `Host` is one of this server.
    ///
    /// - Parameter orAnyAddress: whether any address counts: no one else can make an address resolve here. But only on the machine itself
    ///   browsers state the destination of requests, and so keep the explorer from replayed pages.
    private func isOwnName(_ authority: String?, orAnyAddress: Bool) -> Bool {
        guard let host = authority.flatMap(ServerAuthority.init)?.host else { return false }
        return ServerNames.isLoopback(host) || names.contains(host)
            || orAnyAddress && ServerNames.isAddress(host)
    }
}
