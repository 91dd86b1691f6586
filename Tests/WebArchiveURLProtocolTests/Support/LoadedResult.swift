// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The result of a task with a completion handler.
struct LoadedResult: Sendable {
    let data: Data?
    let response: HTTPURLResponse?
    let error: URLError?

    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }
    var status: Int? { response?.statusCode }

    func field(_ name: String) -> String? { response?.value(forHTTPHeaderField: name) }

    /// The status, fields and body, or the error: two responses to one request are compared by it.
    ///
    /// Bodies count as Latin-1: each byte that is no UTF-8 would throw an error, of which the testing library takes a backtrace.
    var summary: String {
        guard error == nil, let response else { return "error \(error?.code.rawValue ?? 0)" }
        let fields = response.allHeaderFields.map { "\($0.key): \($0.value)" }.sorted()
        let body = data.flatMap { String(data: $0, encoding: .isoLatin1) } ?? ""
        return (["\(response.statusCode) \(response.url?.absoluteString ?? "")"] + fields + [body])
            .joined(separator: "\n")
    }
}

extension URLSession {
    /// Loads by a task with a completion handler: `data(for:)` and cancellation together can bring all sessions to a stop on Linux.
    func load(_ request: URLRequest) async -> LoadedResult {
        await withCheckedContinuation { continuation in
            dataTask(with: request) { data, response, error in
                continuation.resume(
                    returning: LoadedResult(
                        data: data, response: response as? HTTPURLResponse, error: error as? URLError))
            }.resume()
        }
    }

    func load(_ url: String) async -> LoadedResult { await load(URLRequest(url: URL(string: url)!)) }
    func load(_ url: URL) async -> LoadedResult { await load(URLRequest(url: url)) }
}

extension URLRequest {
    init(_ url: URL, method: String = "GET", fields: [String: String] = [:], body: Data? = nil) {
        self.init(url: url)
        httpMethod = method
        for (name, value) in fields { setValue(value, forHTTPHeaderField: name) }
        httpBody = body
    }

    init(_ url: String, method: String = "GET", fields: [String: String] = [:], body: Data? = nil) {
        self.init(URL(string: url)!, method: method, fields: fields, body: body)
    }
}
