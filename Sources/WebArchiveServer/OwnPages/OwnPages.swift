// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchivePresentation
import WebArchiveReplay

/// The server's own pages, under `/-/`.
struct OwnPages: Sendable {
    /// The names that ``ReplayService/Options/ownNames`` has.
    let names: Set<String>
    let counters: ReplayCounters
    let usage: ProgramUsage?
    let section: any OwnPagesSection

    func respond(to request: OwnPageRequest) -> ReplayResponse {
        let isOfMachine = ["/-/health", "/-/metrics", "/-/usage"].contains(request.path)
        guard isOwnName(request.head.authority, orAnyAddress: isOfMachine) else {
            return NoticePage(
                title: "Not for this name",
                text: [
                    """
                    The server's own pages are there under localhost, and under the names and addresses that it was started with \
                    (--name).
                    """
                ]
            ).response(.misdirectedRequest, outcome: .own, isHead: request.isHead)
        }
        guard request.head.method == .get || request.isHead else {
            var response = NoticePage(title: "Only to be read", text: []).response(.methodNotAllowed, outcome: .own)
            response.head.headerFields[.allow] = "GET, HEAD"
            return response
        }
        let metadata = FetchMetadata(request.head)
        if isOfMachine, metadata.destination != "document" || metadata.isOfReplayedPage {
            return NoticePage(title: "Not for scripts", text: []).response(
                .forbidden, outcome: .own, isHead: request.isHead)
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
                    title: "No such page", text: ["The server has no page of its own here."],
                    wayOut: ("To the main page", "/")
                ).response(.notFound, outcome: .own, isHead: request.isHead)
        }
    }

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

    /// Whether a path, with its query, is the server's own.
    static func contains(_ path: String) -> Bool {
        path.hasPrefix("/-") && (path.utf8.count == 2 || path.hasPrefix("/-/") || path.hasPrefix("/-?"))
    }

    /// Whether a page reads archives, and so may take longer than an event loop can be held up.
    func takesLong(_ path: String) -> Bool { section.contains(String(path.prefix { $0 != "?" })) }

    /// Whether a `Host` is one of this server.
    ///
    /// - Parameter orAnyAddress: an address cannot be made to resolve here by somebody else. But only on the machine itself browsers say
    ///   for what they ask, and so keep the explorer from what is replayed.
    private func isOwnName(_ authority: String?, orAnyAddress: Bool) -> Bool {
        guard let host = authority.flatMap(ServerNames.host) else { return false }
        return ServerNames.isLoopback(host) || names.contains(host)
            || orAnyAddress && ServerNames.isAddress(host)
    }
}
