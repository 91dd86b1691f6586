// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SystemPackage
import WebArchive
import WebArchiveReplay

/// The start page of a kiosk with several archives: it lists their main pages, each at its own address.
package enum KioskStartPage {
    /// A name of the top-level domain `invalid`, which never resolves (RFC 6761 section 6.4).
    private static let host = "start.invalid"

    /// The address of the page, which is reserved (RFC 6761 section 6.4), and which no browser looks up itself.
    package static let address = "http://\(host)/"

    /// Returns whether a request is for this host: by plain HTTP, from a browser that requests sites by their own
    /// origins.
    static func contains(_ request: ReplayRequest) -> Bool {
        request.addressing == .ownOrigins && request.head.scheme == "http"
            && request.head.authority.flatMap(ServerAuthority.init)?.host == host
    }

    /// Returns the list of the layers' main pages, each with the description of its archive; 404 for any other path of the host.
    ///
    /// A layer without a main page, or with one that cannot be read, is left out. Icons are loaded from the origins of
    /// the main pages, which the page's policy allows.
    ///
    /// - Parameters:
    ///   - request: a request for which ``contains(_:)`` is true.
    ///   - site: the site whose layers are listed.
    static func response(to request: ReplayRequest, from site: ReplaySite) -> ReplayResponse {
        let isHead = request.head.method == .head
        guard StartPage.contains(request.head.path) else {
            return NoticePage(title: "No such page", text: [], wayOut: ("To all sites", "/"))
                .response(.notFound, outcome: .own, isHead: isHead)
        }
        var sources: Set<String> = []
        let items = site.layers.compactMap { archive -> StartPage.Item? in
            guard let page = try? archive.mainPage() else { return nil }
            let host = page.host.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let port = page.port.map { ":\($0)" } ?? ""
            let scheme = String(decoding: page.scheme, as: UTF8.self)
            if let source = StartPage.imageSource(scheme, host: host, port: port) { sources.insert(source) }
            let name = FilePath(archive.name).lastComponent?.stem ?? archive.name
            return StartPage.Item(
                name: name, address: page.description, description: ArchiveDescription(of: archive))
        }
        return StartPage(items, imageSources: sources.sorted(), for: request.head).response(isHead: isHead)
    }
}
