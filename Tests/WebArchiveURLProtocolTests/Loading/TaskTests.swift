// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls of a session's delegate, in order.
private final class Witness: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    private let told = Mutex<[String]>([])
    private let data = Mutex(Data())
    private let end = DispatchSemaphore(value: 0)

    /// Waits for the end of a task; false if it does not come within ``waitingLimit``.
    func waitForEnd() throws -> Bool {
        try BackgroundThread { self.end.wait(timeout: .now() + waitingLimit) == .success }.value()
    }
    var events: [String] { told.withLock { $0 } }
    var text: String { data.withLock { String(decoding: $0, as: UTF8.self) } }

    private func add(_ event: String) { told.withLock { $0.append(event) } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        add("data")
        self.data.withLock { $0.append(data) }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        add("download")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        add((error as? URLError).map { "error \($0.code.rawValue)" } ?? "end")
        end.signal()
    }
}

@Suite struct TaskTests {
    @Test func aDelegateIsCalledInOrder() throws {
        let bundle = try TestBundle(.init("http://a.example/", "body"))
        let witness = Witness()
        bundle.session(delegate: witness).dataTask(with: URL(string: "http://a.example/")!).resume()
        #expect(try witness.waitForEnd())
        #expect(witness.events == ["response 200", "data", "end"])
        #expect(witness.text == "body")
    }

    @Test func asyncFunctionsGetResponses() async throws {
        let bundle = try TestBundle(.init("http://a.example/", "body"))
        let (data, response) = try await bundle.session().data(from: URL(string: "http://a.example/")!)
        #expect(String(decoding: data, as: UTF8.self) == "body")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let missing = await #expect(throws: URLError.self) {
            try await bundle.session().data(from: URL(string: "http://a.example/missing")!)
        }
        #expect(missing?.code == .resourceUnavailable)
    }

    @Test func anUploadTaskIsFoundByTheDigestOfWhatItUploads() async throws {
        let bundle = try TestBundle(
            .init("http://a.example/", method: "PUT", requestBody: Array("data".utf8), "stored"))
        let session = bundle.session()
        let request = URLRequest("http://a.example/", method: "PUT")
        func upload(_ body: String) async -> LoadedResult {
            await withCheckedContinuation { continuation in
                session.uploadTask(with: request, from: Data(body.utf8)) { data, response, error in
                    continuation.resume(
                        returning: LoadedResult(
                            data: data, response: response as? HTTPURLResponse, error: error as? URLError))
                }.resume()
            }
        }
        #expect(await upload("data").text == "stored")
        #expect(await upload("other").error?.code == .resourceUnavailable)
        let file = try bundle.folder.write("upload", Array("data".utf8))
        let result: LoadedResult = await withCheckedContinuation { continuation in
            session.uploadTask(with: request, fromFile: URL(fileURLWithPath: file.string)) { data, response, error in
                continuation.resume(
                    returning: LoadedResult(
                        data: data, response: response as? HTTPURLResponse, error: error as? URLError))
            }.resume()
        }
        #expect(result.text == "stored")
    }

    #if !canImport(Darwin)
        @Test func aDownloadTaskFailsAtOnceAndSaysWhy() throws {
            let bundle = try TestBundle(.init("http://a.example/", "body"))
            let witness = Witness()
            bundle.session(delegate: witness).downloadTask(with: URL(string: "http://a.example/")!).resume()
            #expect(try witness.waitForEnd())
            #expect(witness.events == ["error \(URLError.Code.unsupportedURL.rawValue)"])
            let reason = Mutex<String?>(nil)
            let done = DispatchSemaphore(value: 0)
            let task = bundle.session().downloadTask(with: URL(string: "http://a.example/")!) { _, _, error in
                reason.withLock { $0 = error?.localizedDescription }
                done.signal()
            }
            task.resume()
            #expect(try BackgroundThread { done.wait(timeout: .now() + waitingLimit) == .success }.value())
            #expect(reason.withLock { $0 }?.contains("download task") == true)
        }
    #endif

    @Test func aTaskThatIsCancelledBeforeItsResponseFailsOnce() async throws {
        let server = try HTTPTestServer()
        let gate = HTTPTestGate()
        server["/slow"] = .text("late").with { $0.headGate = gate }
        let recording = try RecordedSession()
        let witness = Witness()
        let session = recording.session(.networkFirst, delegate: witness)
        let task = session.dataTask(with: server.url("/slow"))
        task.resume()
        try server.waitForRequests(1)
        task.cancel()
        #expect(try witness.waitForEnd())
        #expect(witness.events == ["error \(URLError.Code.cancelled.rawValue)"])
        // The load itself has ended as well, not only its task.
        #expect(server.waitForConnections(atMost: 0))
        gate.open()
        #expect(await recording.session(.archiveOnly).load(server.url("/slow")).error?.code == .resourceUnavailable)
    }

    @Test func aSuspendedTaskGetsItsResponseWhenItIsResumedAndRequestsItOnce() throws {
        let server = try HTTPTestServer()
        let gate = HTTPTestGate()
        server["/slow"] = .text("late").with { $0.headGate = gate }
        let recording = try RecordedSession()
        let witness = Witness()
        let task = recording.session(.networkFirst, delegate: witness).dataTask(with: server.url("/slow"))
        task.resume()
        try server.waitForRequests(1)
        task.suspend()
        gate.open()
        // The response has arrived, as another session can see, but the task does not get it.
        #expect(recording.waitForRecord(server.url("/slow")))
        #expect(witness.events.isEmpty)
        task.resume()
        #expect(try witness.waitForEnd())
        #expect(witness.events == ["response 200", "data", "end"])
        #expect(server.requests.count == 1)
    }

    @Test func aTaskThatIsSuspendedAndResumedAtOnceIsAnswered() throws {
        let server = try HTTPTestServer()
        let gate = HTTPTestGate()
        server["/slow"] = .text("late").with { $0.headGate = gate }
        let witness = Witness()
        let task = try RecordedSession().session(.networkFirst, delegate: witness).dataTask(with: server.url("/slow"))
        task.resume()
        try server.waitForRequests(1)
        for _ in 0..<100 {
            task.suspend()
            task.resume()
        }
        gate.open()
        #expect(try witness.waitForEnd())
        #expect(witness.events == ["response 200", "data", "end"])
        #expect(server.requests.count == 1)
    }

    @Test func aSessionThatIsInvalidatedInTheMiddleEndsItsTasks() throws {
        let server = try HTTPTestServer()
        server["/slow"] = .text("late").with { $0.headGate = HTTPTestGate() }
        let recording = try RecordedSession()
        let witness = Witness()
        let session = recording.session(.networkFirst, delegate: witness)
        session.dataTask(with: server.url("/slow")).resume()
        try server.waitForRequests(1)
        session.invalidateAndCancel()
        #expect(try witness.waitForEnd())
        #expect(witness.events == ["error \(URLError.Code.cancelled.rawValue)"])
    }

    @Test func theTimeLimitOfARequestHolds() async throws {
        let server = try HTTPTestServer()
        server["/never"] = .text("late").with { $0.headGate = HTTPTestGate() }
        var request = URLRequest(server.url("/never"))
        request.timeoutInterval = 0.2
        let result = try await RecordedSession().session(.networkOnly).load(request)
        #expect(result.error?.code == .timedOut)
    }

    @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer realm=\"x\""])
    func a401IsAResponseLikeAnyOtherFromTheServerAndFromTheArchive(_ challenge: String) async throws {
        let server = try HTTPTestServer()
        server["/"] = .status(401, "who are you").field("WWW-Authenticate", challenge)
        let recorded = try RecordedSession()
        for policy in [ArchivePolicy.networkOnly, .archiveOnly] {
            let result = await recorded.session(policy).load(server.url("/"))
            #expect(result.status == 401)
            #expect(result.text == "who are you")
        }
        #expect(try recorded.stored(server.url("/"))?.response.headers["WWW-Authenticate"] == challenge)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["small", "long", "late", "missing"])
    func aTaskIsLetGoWhenItsLoadHasEnded(_ path: String) throws {
        let long = String(repeating: "0123456789", count: 30_000)
        let bundle = try TestBundle(
            .init("http://a.example/small", "body"), .init("http://a.example/late", "body"),
            .init("http://a.example/long", long))
        var options = SessionOptions()
        options.rules = [.delay(.milliseconds(1), when: .path("/late"))]
        let session = bundle.session(options: options)
        let isLetGo = try BackgroundThread {
            let ended = DispatchSemaphore(value: 0)
            weak var known: URLSessionTask?
            do {
                let task = session.dataTask(with: URL(string: "http://a.example/\(path)")!) { _, _, _ in ended.signal()
                }
                known = task
                task.resume()
            }
            guard ended.wait(timeout: .now() + waitingLimit) == .success else { return false }
            return waits { known == nil }
        }.value()
        #expect(isLetGo)
    }

    @Test func anUninstalledArchiveServesNothing() async throws {
        let bundle = try TestBundle(.init("http://127.0.0.1:1/", "body"))
        let configuration = URLSessionConfiguration.ephemeral
        let installation = configuration.install(bundles: [bundle.reader])
        let session = URLSession(configuration: configuration)
        #expect(await session.load("http://127.0.0.1:1/").text == "body")
        installation.uninstall()
        #expect(await session.load("http://127.0.0.1:1/").error?.code == .cannotConnectToHost)
    }

    @Test func archivesAreUninstalledWhileTheirSessionsLoadAndOthers() throws {
        let bundle = try TestBundle(.init("http://127.0.0.1:1/", "body"))
        let others = bundle.session()
        let isServed = try BackgroundThread { [reader = bundle.reader] in
            let group = DispatchGroup()
            func begin(_ session: URLSession) {
                group.enter()
                session.dataTask(with: URL(string: "http://127.0.0.1:1/")!) { _, _, _ in group.leave() }.resume()
            }
            for _ in 0..<300 {
                let configuration = URLSessionConfiguration.ephemeral
                let installation = configuration.install(bundles: [reader])
                let session = URLSession(configuration: configuration)
                for each in [others, session, others, session, others] { begin(each) }
                installation.uninstall()
            }
            return group.wait(timeout: .now() + waitingLimit) == .success
        }.value()
        #expect(isServed)
    }

    @Test func sessionsWithArchivesOfTheirOwnDoNotMix() async throws {
        var sessions: [(URLSession, TestBundle)] = []
        for number in 0..<40 {
            let bundle = try TestBundle(.init("http://a.example/", "archive \(number)"))
            sessions.append((bundle.session(), bundle))
        }
        await withTaskGroup(of: Bool.self) { group in
            for (number, (session, _)) in sessions.enumerated() {
                group.addTask { await session.load("http://a.example/").text == "archive \(number)" }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
