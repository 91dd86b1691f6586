// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Bundles that were changed after they were signed. Specification section 13.4.
@Suite struct UntrustedBundleTests {
    private let folder: TemporaryFolder
    private let server: HTTPTestServer
    private let key = ArchiveSigningKey()
    private let body: [UInt8]

    /// A signed bundle of two bodies with blocks of their own.
    init() throws {
        (folder, server) = (try TemporaryFolder(), try HTTPTestServer())
        var random = SeededGenerator(seed: 15)
        body = random.bytes(50_000)
        let options = ArchiveWriter.Options(
            blockExponent: 12, signing: ArchiveSigning([key], series: "lessons", sequence: 1))
        let writer = try ArchiveWriter(creating: folder.path("lessons.webarc"), options: options)
        for (name, body) in [("/changed", body), ("/whole", random.bytes(5_000))] {
            try writer.add(
                ArchiveRequest(url: server.url(name).absoluteString), response: ArchiveResponse(),
                body: writer.addBody(body))
        }
        try writer.commit()
    }

    /// Opens the bundle with bytes of a body changed so that its CRC stays right: the polynomial of the CRC changes no remainder.
    private func tampered(trust: ArchiveTrust?) throws -> ArchiveReader {
        var bytes = try folder.read("lessons.webarc")
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: body.prefix(100)) })
        for (number, byte) in [UInt8]([0x41, 0x06, 0x71, 0xDB, 0x01]).enumerated() {
            bytes[start + 100 + number] ^= byte
        }
        try folder.write("lessons.webarc", bytes)
        return try ArchiveReader(url: URL(fileURLWithPath: folder.path("lessons.webarc").string), trust: trust)
    }

    private func load(_ name: String, from bundle: ArchiveReader, _ policy: ArchivePolicy) async -> LoadedResult {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [bundle], policy: policy)
        return await URLSession(configuration: configuration).load(server.url(name))
    }

    @Test func theErrorTellsThatABodyIsNotTheSignedOne() async throws {
        let bundle = try tampered(trust: ArchiveTrust([key.publicKey]))
        let result = await load("/changed", from: bundle, .archiveOnly)
        #expect(result.error?.code == .cannotDecodeRawData && result.data == nil)
        let cause = result.error?.userInfo[NSUnderlyingErrorKey] as? ArchiveError
        #expect(cause?.code == .untrusted)
        #expect(result.error?.localizedDescription.contains("lessons.webarc") == true)
        #expect(await load("/whole", from: bundle, .archiveOnly).data?.count == 5_000)
        #expect(server.requests.isEmpty)
    }

    @Test func theNetworkHasWhatTheBundleDoesNotProve() async throws {
        server["/changed"] = .text("from the server")
        let bundle = try tampered(trust: ArchiveTrust([key.publicKey]))
        #expect(await load("/changed", from: bundle, .archiveFirst).text == "from the server")
    }

    @Test func withoutKeysTheChangeIsNotSeen() async throws {
        let result = await load("/changed", from: try tampered(trust: nil), .archiveOnly)
        #expect(result.data?.count == body.count && result.data != Data(body))
    }
}
