// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request as the conditions of rules look at it.
struct InspectedRequest {
    let request: URLRequest
    /// Nil if the request has none that is absolute.
    let url: CanonicalURL?
    let isMetered: Bool

    init(_ request: URLRequest, isMetered: Bool) {
        self.request = request
        self.isMetered = isMetered
        url = request.url.flatMap { try? CanonicalURL($0.absoluteString) }
    }

    var method: String { request.httpMethod ?? "GET" }

    var host: String? { url?.host.map { String(decoding: $0, as: UTF8.self) } }

    /// In lower case; nil if the last part of the path has none.
    var pathExtension: String? {
        guard let name = url?.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last,
            let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex
        else { return nil }
        return String(decoding: name[(dot + 1)...], as: UTF8.self).asciiLowercased
    }

    /// In lower case: the one of the path's extension, or else those that `Accept` has before all others.
    var expectedMediaTypes: [String] {
        if let type = pathExtension.flatMap(MediaTypes.type(ofExtension:)) { return [type] }
        guard let accept = request.value(forHTTPHeaderField: "Accept") else { return [] }
        let ranges = accept.split(separator: ",").map { Self.range(String($0)) }
        guard let most = ranges.map(\.weight).max(), most > 0 else { return [] }
        return ranges.filter { $0.weight == most && $0.type != "*/*" }.map(\.type)
    }

    /// RFC 9110 sections 12.4.2 and 12.5.1; what has no weight that can be read has the greatest.
    private static func range(_ text: String) -> (type: String, weight: Int) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.trimmingOptionalWhitespace.asciiLowercased
        }
        let weight = parts.dropFirst().lazy.compactMap { QualityValue.thousandths($0) }.first
        return (parts.first ?? "", weight ?? 1000)
    }
}
