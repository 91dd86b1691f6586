// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The body of a request, which is read before any lookup: its digest belongs to the key.
enum RequestBody: Sendable {
    case none
    case bytes(Data, ContentDigest)
    /// A body that takes time to read.
    case unread(Source)

    /// The maximum length that is hashed on the loading queue; longer bodies would delay all other loads.
    private static let lengthAtOnce = 256 << 10

    enum Source: Sendable {
        case data(Data)
        case file(URL)
        /// The request's own stream.
        case stream(URLRequest)
    }

    /// Reads the body of a request.
    ///
    /// - Throws: `requestBodyStreamExhausted` for a body that Foundation hides.
    init(_ request: URLRequest, upload: LoadingPlatform.UploadBody?) throws(URLError) {
        switch upload {
        case .data(let data): self = data.count > Self.lengthAtOnce ? .unread(.data(data)) : RequestBody(data)
        case .file(let file): self = .unread(.file(file))
        case .hidden:
            throw URLError(
                .requestBodyStreamExhausted, request.url,
                "cannot read the body of an upload task on this platform; use a data task with httpBody")
        case nil:
            if let body = request.httpBody {
                self = body.count > Self.lengthAtOnce ? .unread(.data(body)) : RequestBody(body)
            } else {
                self = request.httpBodyStream == nil ? .none : .unread(.stream(request))
            }
        }
    }

    private init(_ data: Data) {
        self = data.isEmpty ? .none : .bytes(data, data.withUnsafeBytes { ContentDigest(hashing: $0) })
    }

    /// Reads a body that takes time to read.
    func read() async throws(URLError) -> RequestBody {
        guard case .unread(let source) = self else { return self }
        let result = await withCheckedContinuation { continuation in
            // A stream may wait for its writer, which must not hold a thread that other work needs.
            Thread.detachNewThread {
                continuation.resume(returning: Result { () throws(URLError) in try source.data() })
            }
        }
        return RequestBody(try result.get())
    }

    var data: Data? { if case .bytes(let data, _) = self { data } else { nil } }
    /// The digest; nil without a body.
    var digest: ContentDigest? { if case .bytes(_, let digest) = self { digest } else { nil } }
    var isUnread: Bool { if case .unread = self { true } else { false } }
}

extension RequestBody.Source {
    fileprivate func data() throws(URLError) -> Data {
        switch self {
        case .data(let data):
            return data
        case .file(let file):
            do {
                return try Data(contentsOf: file, options: .mappedIfSafe)
            } catch {
                throw URLError(.cannotOpenFile, file, "cannot read the file to upload", cause: error)
            }
        case .stream(let request):
            guard let stream = request.httpBodyStream else { return Data() }
            stream.open()
            defer { stream.close() }
            do throws(ArchiveError) {
                let spool = SpooledBody()
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                while true {
                    let count = stream.read(&buffer, maxLength: buffer.count)
                    if count == 0 { return try StoredBody.spooled(spool).data() }
                    guard count > 0 else {
                        throw ArchiveError(.io, "the stream failed", cause: stream.streamError)
                    }
                    try buffer.withBytes { (bytes) throws(ArchiveError) in
                        try spool.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    }
                }
            } catch {
                throw URLError(
                    .requestBodyStreamExhausted, request.url, "cannot read the request body", cause: error)
            }
        }
    }
}
