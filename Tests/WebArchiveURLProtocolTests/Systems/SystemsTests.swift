// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing
import WebArchivePacking
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Behaviours of earlier systems that no other suite shows through a session.
@Suite struct SystemsTests {
    let server: HTTPTestServer
    let recorded: RecordedSession

    init() throws {
        server = try HTTPTestServer()
        recorded = try RecordedSession()
    }

    private func session(_ reader: ArchiveReader, _ policy: ArchivePolicy) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [reader], policy: policy)
        return URLSession(configuration: configuration)
    }

    // MARK: - SDURLCache

    /// A bundle with a body that cannot be compressed, and so lies in the file as it is.
    private func bundle(_ random: inout SeededGenerator) throws -> (bundle: TestBundle, stored: Data) {
        let body = random.bytes(50_000)
        var bad = TestBundle.Exchange(server.url("/bad").absoluteString, "")
        bad.body = body
        return (try TestBundle(bad, .init(server.url("/good").absoluteString, "good")), Data(body))
    }

    @Test func aDamagedRecordIsAMissAndItsNeighboursRespond() async throws {
        var random = SeededGenerator.printed()
        let (bundle, stored) = try bundle(&random)
        server["/bad"] = .text("loaded")
        #expect(await bundle.session().load(server.url("/bad")).data == stored)
        var bytes = try bundle.folder.read("bundle.webarc")
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: stored.prefix(100)) })
        bytes[place + 7] ^= 1
        let damaged = try ArchiveReader(path: bundle.folder.write("damaged.webarc", bytes))
        let offline = await session(damaged, .archiveOnly).load(server.url("/bad"))
        #expect(offline.error?.code == .cannotDecodeRawData && offline.data == nil)
        #expect(server.requests.isEmpty)
        #expect(await session(damaged, .archiveFirst).load(server.url("/bad")).text == "loaded")
        #expect(await session(damaged, .archiveOnly).load(server.url("/good")).text == "good")
        #expect(server.requests.count == 1)
    }

    @Test func whereverABundleIsDamagedAResponseIsTheStoredOneOrANewOne() async throws {
        var random = SeededGenerator.printed()
        let (bundle, stored) = try bundle(&random)
        server["/bad"] = .text("loaded")
        server["/good"] = .text("loaded")
        let bytes = try bundle.folder.read("bundle.webarc")
        // Most of the file is the one body: half of the damage is done to what lies around it.
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: stored.prefix(100)) })
        let around = Array(0..<start) + Array(start + stored.count..<bytes.count)
        for number in 0..<100 {
            var damaged = bytes
            let place =
                number.isMultiple(of: 2)
                ? around.randomElement(using: &random)! : Int.random(in: 0..<bytes.count, using: &random)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let path = try bundle.folder.write("damaged.webarc", damaged)
            // A file that does not open is found out before there is a session.
            guard let reader = try? ArchiveReader(path: path) else { continue }
            let session = session(reader, .archiveFirst)
            let (bad, good) = (await session.load(server.url("/bad")), await session.load(server.url("/good")))
            #expect(bad.data == stored || bad.text == "loaded", "byte \(place): \(bad.summary.prefix(200))")
            #expect(good.text == "good" || good.text == "loaded", "byte \(place): \(good.summary.prefix(200))")
            #expect(bad.status == 200 && good.status == 200, "byte \(place)")
        }
    }

    // MARK: - AFCache

    @Test func aPackageAFolderWithABaseURLAndLifetimesByTypeIsPreloadedAsABundle() async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<p>packed</p>".utf8)
        try folder.write("site/images/logo.svg", "<svg/>".utf8)
        try folder.write(
            "site/_headers",
            """
            /index.html
              Cache-Control: max-age=3600
            /images/*
              Cache-Control: max-age=60

            """.utf8)
        var options = ArchivePacker.Options()
        options.baseURL = server.url("/").absoluteString
        options.time = ArchiveTime(seconds: 1_800_000_000)
        _ = try ArchivePacker([folder.path("site")], into: folder.path("package.webarc"), options: options).run()
        let bundle = try ArchiveReader(path: folder.path("package.webarc"))
        let (page, image) = (server.url("/index.html"), server.url("/images/logo.svg"))
        server["/index.html"] = .text("from the server")
        server["/images/logo.svg"] = .text("from the server")
        for policy in [ArchivePolicy.http, .afCache] {
            let start = recorded.sources.count
            #expect(await recorded.session(policy, bundles: [bundle]).load(page).text == "<p>packed</p>")
            #expect(await recorded.session(policy, bundles: [bundle]).load(image).text == "<svg/>")
            #expect(recorded.sources[start...] == [.archive, .archive])
        }
        #expect(server.requests.isEmpty)
        recorded.advance(60)
        #expect(await recorded.session(.afCache, bundles: [bundle]).load(page).text == "<p>packed</p>")
        #expect(server.requests.isEmpty)
        recorded.connectivity.isOffline = true
        #expect(await recorded.session(.afCache, bundles: [bundle]).load(image).text == "<svg/>")
        recorded.connectivity.isOffline = false
        #expect(await recorded.session(.afCache, bundles: [bundle]).load(image).text == "from the server")
        #expect(server.requests.map(\.path) == ["/images/logo.svg"])
    }

    @Test func theOfflineSwitchIsIndependentOfReachability() async throws {
        final class Link: Sendable {
            let isUp = Mutex(true)
        }
        let link = Link()
        server["/"] = .text("x")
        let connectivity = Connectivity(isReachable: { link.isUp.withLock { $0 } })
        let session = recorded.session(.networkOnly) { $0.connectivity = connectivity }
        for (isUp, isOffline) in [(true, false), (true, true), (false, false), (false, true)] {
            link.isUp.withLock { $0 = isUp }
            connectivity.isOffline = isOffline
            let result = await session.load(server.url("/"))
            #expect(result.text == (isUp && !isOffline ? "x" : nil))
            #expect(result.error?.code == (isUp && !isOffline ? nil : .notConnectedToInternet))
        }
        #expect(server.requests.count == 1)
    }
}
