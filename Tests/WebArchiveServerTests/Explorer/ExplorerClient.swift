// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

/// Asks a service for its own pages, without sockets.
struct ExplorerClient {
    let service: ReplayService
    /// Whose files have to stay.
    private let samples: [ReplaySample]

    init(
        _ sample: ReplaySample, and others: [ReplaySample] = [], options: ReplayService.Options = .init(),
        matching: ArchiveMatcher.Options = .serving
    ) throws {
        samples = [sample] + others
        var libraryOptions = ArchiveLibrary.Options()
        libraryOptions.matching = matching
        service = ReplayService(
            try ArchiveLibrary(samples.map(\.path), options: libraryOptions), options: options,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func get(
        _ path: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get,
        host: String = "explorer.localhost"
    ) -> ReplayResponse {
        var request = ReplayRequest(method: method, "http://\(host)\(path)", headerFields: fields)
        request.addressing = .mainPageOrigin
        return service.respond(
            to: request,
            by: service.route(
                request, isDirect: true,
                place: ServerNames(added: service.options.ownNames).place(of: request.head.authority))
        )
    }

    func html(_ path: String) throws -> String {
        let response = get(path)
        #expect(response.status == 200, "\(path)")
        return try response.text
    }

    func json(_ path: String) throws -> [String: Any] {
        let response = get(path)
        #expect(response.status == 200 && response.field(.contentType) == "application/json", "\(path)")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.content())) as? [String: Any])
    }
}
