// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive

/// The pages of the server's own, under `/-/`.
struct OwnPages {
    let service: ReplayService

    func respond(to request: ReplayRequest) -> ReplayResponse {
        let isHead = request.head.method == .head
        guard isOwnName(request.head.authority) else {
            return NoticePage(
                title: "Not for this name",
                text: [
                    "The server's own pages are there under its own names only. Start it with --name to add one."
                ]
            ).response(.misdirectedRequest, outcome: .own, isHead: isHead)
        }
        guard request.head.method == .get || isHead else {
            var response = NoticePage(title: "Only to be read", text: []).response(.methodNotAllowed, outcome: .own)
            response.head.headerFields[.allow] = "GET, HEAD"
            return response
        }
        let target = request.head.path?.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false) ?? []
        let path = target.first ?? ""
        switch path {
        case "/-/health": return Self.text("ok\n", "text/plain; charset=utf-8", isHead)
        case "/-/metrics":
            return Self.text(
                service.counters.prometheusText, "text/plain; version=0.0.4; charset=utf-8", isHead)
        default:
            if let page = ExplorerPage.Place(rawValue: String(path)) {
                return ExplorerPages(service: service, head: request.head)
                    .response(page, QueryFields(target.count > 1 ? target[1] : ""))
            }
            return NoticePage(
                title: "No such page", text: ["The server has no page of its own here."],
                wayOut: ("To the main page", "/")
            ).response(.notFound, outcome: .own, isHead: isHead)
        }
    }

    static func text(
        _ text: String, _ type: String, _ isHead: Bool, status: HTTPResponse.Status = .ok
    ) -> ReplayResponse {
        let content = ByteBuffer(string: text)
        let fields: HTTPFields = [
            .contentType: type, .contentLength: String(content.readableBytes), .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
        ]
        return ReplayResponse(
            HTTPResponse(status: status, headerFields: fields), isHead ? [] : [.bytes(content)], outcome: .own)
    }

    /// Whether a path, with its query, is the server's own.
    static func contains(_ path: String) -> Bool {
        path.hasPrefix("/-") && (path.utf8.count == 2 || path.hasPrefix("/-/") || path.hasPrefix("/-?"))
    }

    /// Whether a page reads archives, and so may take longer than an event loop can be held up.
    static func takesLong(_ path: String) -> Bool {
        ExplorerPage.Place(rawValue: String(path.prefix { $0 != "?" })) != nil
    }

    /// Whether a `Host` is one of this server: an address cannot be made to resolve here by somebody else.
    private func isOwnName(_ authority: String?) -> Bool {
        guard let authority, let url = try? CanonicalURL("http://\(authority)/"), let host = url.host else {
            return false
        }
        let name = String(decoding: host, as: UTF8.self)
        return name == "localhost" || name.hasSuffix(".localhost") || name.hasPrefix("[")
            || name.split(separator: ".").allSatisfy { UInt8($0) != nil } || service.options.ownNames.contains(name)
    }
}
