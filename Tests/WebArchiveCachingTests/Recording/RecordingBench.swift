// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

/// A folder, a clock that a test sets, and delayed work that a test starts.
final class RecordingBench: Sendable {
    let folder: TemporaryFolder
    let path: FilePath
    private let clock = Mutex<Int64>(1_000_000)
    private let delayed = Mutex<[@Sendable () -> Void]>([])
    let delays = Mutex<[Duration]>([])
    let failures = Mutex<[ArchiveError.Code]>([])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.webarc")
    }

    /// In seconds.
    var now: Int64 {
        get { clock.withLock { $0 } }
        set { clock.withLock { $0 = newValue } }
    }

    var time: ArchiveTime { ArchiveTime(seconds: now)! }

    func open(_ change: (inout RecordingArchive.Options) -> Void = { _ in }) throws -> RecordingArchive {
        var options = RecordingArchive.Options()
        options.now = { [self] in time }
        options.delay = DelayedWork { [self] delay, _, work in
            delays.withLock { $0.append(delay) }
            delayed.withLock { $0.append(work) }
        }
        change(&options)
        let archive = try RecordingArchive(path: path, options: options)
        archive.onFailure = { [self] error in failures.withLock { $0.append(error.code) } }
        return archive
    }

    var delayedCount: Int { delayed.withLock { $0.count } }

    /// Does all that was to be done later.
    func runDelayed() {
        let work = delayed.withLock { work in
            defer { work = [] }
            return work
        }
        for work in work { work() }
    }

    var fileLength: UInt64 {
        get throws { try FileByteSource(path: path).length }
    }

    /// The faults of the archive.
    func findings() throws -> [VerificationFinding] { try ArchiveVerifier(ArchiveReader(path: path)).run() }
}

extension RecordingArchive {
    /// Records a response at the present time.
    func record(
        _ url: String, _ body: [UInt8] = [1], method: String = "GET", sent: HeaderFields = [],
        requestBody: [UInt8]? = nil, headers: HeaderFields = [], status: Int = 200, time: ArchiveTime? = nil
    ) throws {
        record(
            RecordedExchange(
                request: ArchiveRequest(method: method, url: url, headers: sent),
                requestBody: try requestBody.map { try SpooledBody($0) },
                response: ArchiveResponse(status: status, headers: headers), body: try SpooledBody(body),
                time: time ?? options.now()))
    }

    /// The body that matches a request.
    func body(
        _ url: String, method: String = "GET", sent: HeaderFields = [], requestBody: [UInt8]? = nil
    ) throws -> [UInt8]? {
        let found = try lookup(
            MatchRequest(
                url: CanonicalURL(url), method: method, headers: sent,
                bodyDigest: requestBody.map { ContentDigest(hashing: $0) }
            ))
        return try found.map { try $0.body?.bytes() ?? [] }
    }

    /// Waits until the work that is queued has ended.
    func drain() { queue.sync {} }
}
