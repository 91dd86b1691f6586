// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An archive that a test makes, and sessions that are answered from it.
final class TestBundle {
    struct Exchange {
        var request: ArchiveRequest
        var requestBody: [UInt8]?
        var response: ArchiveResponse
        var body: [UInt8]
        var time: ArchiveTime?

        init(
            _ url: String, method: String = "GET", requestBody: [UInt8]? = nil, status: Int = 200,
            _ headers: HeaderFields, _ body: String = "", time: ArchiveTime? = nil
        ) {
            request = ArchiveRequest(method: method, url: url)
            self.requestBody = requestBody
            response = ArchiveResponse(status: status, headers: headers)
            self.body = Array(body.utf8)
            self.time = time
        }

        /// Plain text.
        init(_ url: String, method: String = "GET", requestBody: [UInt8]? = nil, _ body: String) {
            self.init(url, method: method, requestBody: requestBody, ["Content-Type": "text/plain"], body)
        }
    }

    let folder: TemporaryFolder
    let reader: ArchiveReader

    init(_ exchanges: Exchange..., level: CompressionLevel = .fast) throws {
        folder = try TemporaryFolder()
        let path = folder.path("bundle.webarc")
        let writer = try ArchiveWriter(creating: path, options: .init(level: level))
        for exchange in exchanges {
            try writer.add(
                exchange.request, requestBody: exchange.requestBody.map { try writer.addBody($0) },
                response: exchange.response, body: exchange.body.isEmpty ? nil : writer.addBody(exchange.body),
                time: exchange.time)
        }
        try writer.commit()
        reader = try ArchiveReader(path: path)
    }

    /// A session that has the bundle and no network.
    func session(
        _ policy: ArchivePolicy = .archiveOnly, options: SessionOptions = SessionOptions(),
        delegate: (any URLSessionDelegate)? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [reader], policy: policy, options: options)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }
}
