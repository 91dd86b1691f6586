// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import SystemPackage
public import WebArchive
public import WebArchiveUpdates

/// A release folder on a web host.
///
/// Redirects are followed, five at most, and none from https to http. A host that is silent for 30 seconds counts as lost. Calls wait, so they
/// must not come from an event loop.
public final class HTTPUpdateSource: UpdateSource {
    public let name: String
    private let client: HTTPClient

    private static let silence = TimeAmount.seconds(30)

    /// Creates a source. Nothing is loaded yet.
    ///
    /// - Parameter url: the address of the folder, http or https; with or without `/` at its end.
    /// - Throws: `invalidArgument` for another address.
    public init(_ url: String) throws(ArchiveError) {
        guard let canonical = try? CanonicalURL(url), canonical.isOfHTTP, canonical.query == nil else {
            throw ArchiveError(.invalidArgument, "\(url) is no address of a folder; give http://… or https://…")
        }
        let text = canonical.description
        name = text.hasSuffix("/") ? text : text + "/"
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10), read: Self.silence))
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { try? client.syncShutdown() }

    public func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        let receiver = Receiver(address: self.name + name, offset: 0, limit: UInt64(limit), isExact: false)
        try load(name, receiver)
        return receiver.bytes
    }

    public func append(
        _ name: String, from offset: UInt64, length: UInt64, to file: SystemPackage.FileDescriptor,
        progress: (Int) -> Void
    ) throws(ArchiveError) {
        let receiver = Receiver(address: self.name + name, offset: offset, limit: length, isExact: true)
        receiver.file = file
        defer { progress(Int(receiver.position - offset)) }
        try load(name, receiver)
        guard receiver.position == length else {
            throw ArchiveError(
                .io,
                "the host ended the response at byte \(receiver.position) of \(length); the next run goes on there",
                path: self.name + name)
        }
    }

    private func load(_ name: String, _ receiver: Receiver) throws(ArchiveError) {
        var address = self.name + name
        for _ in 0...5 {
            let target = try request(address, receiver)
            guard let target else { return }
            guard let next = try? CanonicalURL(address).resolving(target), next.isOfHTTP,
                !address.hasPrefix("https:") || next.description.hasPrefix("https:")
            else { throw ArchiveError(.io, "a redirect to \(target), which is not followed", path: address) }
            address = next.description
        }
        throw ArchiveError(.io, "more than five redirects", path: self.name + name)
    }

    /// Sends one request.
    ///
    /// - Returns: the target of a redirect; nil when the file came.
    private func request(_ address: String, _ receiver: Receiver) throws(ArchiveError) -> String? {
        do {
            var headers = HTTPHeaders([("User-Agent", "webarc"), ("Accept-Encoding", "identity")])
            if receiver.offset > 0 { headers.add(name: "Range", value: "bytes=\(receiver.offset)-") }
            let request = try HTTPClient.Request(url: address, headers: headers)
            receiver.address = address
            return try client.execute(request: request, delegate: receiver).wait()
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError(.io, "the host does not respond: \(error)", path: address)
        }
    }
}

extension CanonicalURL {
    /// Whether the scheme is http or https.
    fileprivate var isOfHTTP: Bool { scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) }
}
