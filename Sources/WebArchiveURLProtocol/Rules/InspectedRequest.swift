// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request in the form for the conditions of rules.
struct InspectedRequest {
    let request: URLRequest
    /// The canonical URL; nil if the request has no absolute one.
    let url: CanonicalURL?
    let isMetered: Bool

    init(_ request: URLRequest, isMetered: Bool) {
        self.request = request
        self.isMetered = isMetered
        url = request.url.flatMap { try? CanonicalURL($0.absoluteString) }
    }

    var method: String { request.httpMethod ?? "GET" }

    var host: String? { url?.host.map { String(decoding: $0, as: UTF8.self) } }

    /// The extension in lower case; nil if the last part of the path has none.
    var pathExtension: String? {
        guard let name = url?.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last,
            let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex
        else { return nil }
        return String(decoding: name[(dot + 1)...], as: UTF8.self).asciiLowercased
    }

    /// The media types in lower case: the one of the path's extension, or else those that `Accept` prefers.
    var expectedMediaTypes: [String] {
        if let type = pathExtension.flatMap(MediaTypes.type(ofExtension:)) { return [type] }
        guard let accept = request.value(forHTTPHeaderField: "Accept") else { return [] }
        let ranges = accept.split(separator: ",").map { Self.range(String($0)) }
        guard let most = ranges.map(\.weight).max(), most > 0 else { return [] }
        return ranges.filter { $0.weight == most && $0.type != "*/*" }.map(\.type)
    }

    /// Reads a range (RFC 9110 sections 12.4.2 and 12.5.1); an unreadable weight counts as the greatest.
    private static func range(_ text: String) -> (type: String, weight: Int) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.trimmingOptionalWhitespace.asciiLowercased
        }
        let weight = parts.dropFirst().lazy.compactMap { QualityValue.thousandths($0) }.first
        return (parts.first ?? "", weight ?? 1000)
    }
}
