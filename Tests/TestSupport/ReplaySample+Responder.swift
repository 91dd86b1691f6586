// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import WebArchive
package import WebArchiveReplay

extension ReplaySample {
    package func responder() throws -> ReplayResponder { ReplayResponder(try ReplaySite([ArchiveReader(path: path)])) }
}

extension ReplayResponder {
    /// Answers a `GET`, or another method, for a URL at its own origin.
    package func get(
        _ url: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get, body: [UInt8]? = nil
    ) -> ReplayResponse {
        var request = ReplayRequest(method: method, url, headerFields: fields)
        request.bodyDigest = body.map { ContentDigest(hashing: $0) }
        return respond(to: request)
    }

    /// Answers for a path, with the main page's origin at `/`.
    package func getPath(
        _ path: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get, mayBeCoded: Bool = false
    ) -> ReplayResponse {
        var request = ReplayRequest(method: method, "http://localhost:8080\(path)", headerFields: fields)
        request.addressing = .mainPageOrigin
        request.mayBeCoded = mayBeCoded
        return respond(to: request)
    }
}

extension ReplayResponse {
    package var status: Int { head.status.code }
    package func field(_ name: HTTPField.Name) -> String? { head.headerFields[name] }
    package var isMissing: Bool { if case .missing = outcome { true } else { false } }
    package var failure: ArchiveError? { if case .failed(let error) = outcome { error } else { nil } }
    package var text: String { get throws { String(decoding: try content(), as: UTF8.self) } }
}
