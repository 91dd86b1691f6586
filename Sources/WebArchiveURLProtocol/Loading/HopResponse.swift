// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response to one hop of a request, from any source.
struct HopResponse: Sendable {
    enum Body: Sendable {
        case stored(StoredBody)
        case data(Data)
    }

    let response: ArchiveResponse
    /// The body; nil for an empty one.
    let body: Body?
    let source: LoadEvent.Source
    let recording: RecordingOutcome?

    init(response: ArchiveResponse, body: Body?, source: LoadEvent.Source, recording: RecordingOutcome? = nil) {
        self.response = response
        self.body = body
        self.source = source
        self.recording = recording
    }

    init(_ exchange: StoredExchange, _ source: LoadEvent.Source, _ recording: RecordingOutcome? = nil) {
        self.init(
            response: exchange.response, body: exchange.body.map(Body.stored), source: source, recording: recording)
    }

    /// A response of the app's own.
    ///
    /// - Throws: the response's failure; `fileDoesNotExist` or `cannotOpenFile` for a file that cannot be read.
    init(_ local: LocalResponse, for request: URLRequest) throws(URLError) {
        if let failure = local.failure { throw URLError(failure, request.url, "a rule failed the request") }
        var data = Data()
        switch local.body {
        case .data(let bytes): data = bytes
        case .file(let path):
            do {
                data = try Data(contentsOf: URL(fileURLWithPath: path.string), options: .mappedIfSafe)
            } catch {
                let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
                throw URLError(
                    isMissing ? .fileDoesNotExist : .cannotOpenFile, request.url,
                    "cannot read \(path), the response of a rule", cause: error)
            }
        }
        self.init(
            response: ArchiveResponse(status: local.status, headers: local.headers),
            body: data.isEmpty ? nil : .data(data),
            source: .rule)
    }

    /// Whether the response comes from an archive, and may be unreadable.
    var isStored: Bool { source != .network && source != .rule }

    /// The number of bytes that must be decoded before they can be delivered.
    var lengthToDecode: UInt64 { if case .stored(.archived(let body)) = body { body.length } else { 0 } }
}

extension HopResponse.Body {
    /// The length in bytes.
    var length: UInt64 {
        switch self {
        case .stored(let body): body.length
        case .data(let data): UInt64(data.count)
        }
    }

    /// Returns the bytes of a range that is inside the body, all by default.
    ///
    /// - Throws: `damaged` or `io`.
    func data(in range: Range<UInt64>? = nil) throws(ArchiveError) -> Data {
        switch self {
        case .stored(let body):
            return try body.data(in: range)
        case .data(let data):
            guard let range else { return data }
            // A slice would begin at an index other than 0.
            return data.subdata(in: data.startIndex + Int(range.lowerBound)..<data.startIndex + Int(range.upperBound))
        }
    }
}
