// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An archive that sessions record into, and a clock that a test sets.
final class RecordedSession: Sendable {
    let folder: TemporaryFolder
    let archive: RecordingArchive
    let connectivity = Connectivity()
    private let time = Mutex(ArchiveTime(seconds: 1_800_000_000)!)
    private let seen = Mutex<[LoadEvent]>([])

    init(_ change: (inout RecordingArchive.Options) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        var options = RecordingArchive.Options()
        change(&options)
        archive = try RecordingArchive(path: folder.path("recorded.webarc"), options: options)
    }

    /// Lets time go by for sessions of this archive.
    func advance(_ seconds: Int64) {
        time.withLock { $0 = ArchiveTime(nanoseconds: $0.nanoseconds + seconds * 1_000_000_000)! }
    }

    /// The origins of the responses, in order.
    var sources: [LoadEvent.Source] { seen.withLock { $0.map(\.source) } }

    /// The outcomes of the responses, in order.
    var recordings: [RecordingOutcome?] { seen.withLock { $0.map(\.recording) } }

    func session(
        _ policy: ArchivePolicy, bundles: [ArchiveReader] = [], delegate: (any URLSessionDelegate)? = nil,
        _ change: (inout SessionOptions) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        var options = SessionOptions()
        options.connectivity = connectivity
        options.now = { self.time.withLock { $0 } }
        options.onResponse = { event in self.seen.withLock { $0.append(event) } }
        change(&options)
        configuration.install(archive, bundles: bundles, policy: policy, options: options)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    func stored(_ url: URL, method: String = "GET") throws -> StoredExchange? {
        try archive.lookup(MatchRequest(url: CanonicalURL(parsing: url.absoluteString), method: method))
    }

    /// Waits until an exchange is recorded; false if that does not come within a minute.
    func waitForRecord(_ url: URL, where isWanted: (StoredExchange) -> Bool = { _ in true }) -> Bool {
        waits { (try? stored(url)).map(isWanted) ?? false }
    }
}
