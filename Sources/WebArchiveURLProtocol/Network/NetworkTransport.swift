// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that loads requests from the network, one hop at a time: redirects are not followed, and nothing is cached.
final class NetworkTransport: Sendable {
    private let session: URLSession
    private let delegate: TransportDelegate
    private let spoolFolders: [FilePath]

    /// Creates a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: a copy of the app's, before the archive was put into it.
    ///   - spoolFolders: the folders for long bodies while they arrive, the preferred folder first.
    init(
        _ configuration: URLSessionConfiguration, spoolFolders: [FilePath], now: @escaping @Sendable () -> ArchiveTime
    ) {
        self.spoolFolders = spoolFolders
        // Policies, cookies and redirects are decided once, before a request comes here.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        delegate = TransportDelegate(now: now)
        session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: LoadingPlatform.delegateQueue)
    }

    deinit {
        // The last to let go may be a load on the loading queue, where no session can be ended.
        DispatchQueue.global().async { [session] in session.invalidateAndCancel() }
    }

    /// Loads one hop. It ends early, with `cancelled`, when the surrounding task is cancelled.
    ///
    /// - Parameter maximumLength: the maximum length of the body after content decoding, in bytes.
    /// - Throws: `dataLengthExceedsMaximum` for a longer body, as soon as that is known; the loading system's errors.
    func load(_ request: URLRequest, maximumLength: UInt64) async throws(URLError) -> ReceivedResponse {
        let task = session.dataTask(with: request)
        // Before anything can happen to the task.
        let load = NetworkLoad(spoolFolders, maximumLength: maximumLength)
        delegate.add(load, for: task)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                load.wait(continuation)
                task.resume()
            }
        } onCancel: {
            // This may be the loading queue, on which no task can be cancelled.
            DispatchQueue.global().async { task.cancel() }
        }
        return try result.get()
    }
}

/// The state of a load from the network.
private final class NetworkLoad: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Result<ReceivedResponse, URLError>, Never>?
        /// The result that arrived before a caller waited.
        var early: Result<ReceivedResponse, URLError>?
        var head: HTTPURLResponse?
        var time: ArchiveTime?
        var failure: ArchiveError?
        /// Whether the response is complete, and is a challenge.
        var isChallenge = false
    }

    private let state = Mutex(State())
    private let body: SpooledBody
    private let maximumLength: UInt64

    init(_ spoolFolders: [FilePath], maximumLength: UInt64) {
        body = SpooledBody(folders: spoolFolders, maximumLength: maximumLength)
        self.maximumLength = maximumLength
    }

    func wait(_ continuation: CheckedContinuation<Result<ReceivedResponse, URLError>, Never>) {
        let early = state.withLock { state in
            if state.early == nil { state.continuation = continuation }
            return state.early
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Returns whether the load can continue.
    func receive(_ response: URLResponse, to request: URLRequest?, at time: ArchiveTime) -> Bool {
        let head = response as? HTTPURLResponse
        return state.withLock { state in
            (state.head, state.time) = (head, time)
            guard let head, head.announcedLength(for: request) > maximumLength else { return true }
            state.failure = .bodyTooLong(maximumLength: maximumLength)
            return false
        }
    }

    /// Returns whether the load can continue.
    func receive(_ data: Data) -> Bool {
        do throws(ArchiveError) {
            for region in data.regions {
                try region.withUnsafeBytes { bytes in
                    Result { () throws(ArchiveError) in try body.append(bytes) }
                }.get()
            }
            return true
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
    }

    func receiveChallenge() { state.withLock { $0.isChallenge = true } }

    /// Completes the load, once: with the response, even to an unanswered challenge, or with an error.
    func complete(_ task: URLSessionTask, _ error: (any Error)?, at now: ArchiveTime) {
        body.finish()
        let state = state.withLock { $0 }
        // A redirect that leads nowhere is seen in the task alone.
        let head = state.head ?? task.response as? HTTPURLResponse
        // An unanswered challenge is not a failure.
        let failure = state.failure ?? (state.isChallenge ? nil : error)
        let outcome = result(task, head, state.time ?? now, failure)
        let continuation = self.state.withLock { state in
            state.early = outcome
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }

    /// Returns the result of a completed load. Errors of storing the body become `cannotWriteToFile`.
    private func result(
        _ task: URLSessionTask, _ head: HTTPURLResponse?, _ time: ArchiveTime, _ error: (any Error)?
    ) -> Result<ReceivedResponse, URLError> {
        let url = task.originalRequest?.url
        switch error {
        case let error as URLError where error.code == .unknown && head != nil:
            // libcurl has several words for a response that breaks off, and Foundation on Linux knows few of them.
            return .failure(URLError(.networkConnectionLost, url, "the response was interrupted", cause: error))
        case let error as URLError:
            return .failure(error)
        case let error as ArchiveError where error.code == .limitExceeded:
            return .failure(URLError(.dataLengthExceedsMaximum, url, error.message, cause: error))
        case let error?:
            return .failure(
                URLError(.cannotWriteToFile, url, "cannot buffer the response", cause: error))
        case nil:
            guard let head else { return .failure(URLError(.badServerResponse, url, "not an HTTP response")) }
            return .success(
                ReceivedResponse(response: ArchiveResponse(head, bodyLength: body.length), body: body, time: time))
        }
    }
}

private final class TransportDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let loads = Mutex<[Int: NetworkLoad]>([:])
    private let now: @Sendable () -> ArchiveTime

    init(now: @escaping @Sendable () -> ArchiveTime) { self.now = now }

    func add(_ load: NetworkLoad, for task: URLSessionTask) {
        loads.withLock { $0[task.taskIdentifier] = load }
    }

    private func load(_ task: URLSessionTask) -> NetworkLoad? { loads.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        _ = load(task)?.receive(response, to: task.originalRequest, at: now())
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let goesOn = load(dataTask)?.receive(response, to: dataTask.originalRequest, at: now()) != false
        completionHandler(goesOn ? .allow : .cancel)
        // Foundation on Linux calls this, and continues.
        if !goesOn { Self.cancel(dataTask) }
    }

    /// Cancels a task without waiting: on Linux, cancelling takes until the loading system has delivered all its data to its delegate.
    private static func cancel(_ task: URLSessionTask) { DispatchQueue.global().async { task.cancel() } }

    /// Leaves a 401 to the client, who responds with another request; a session has no credentials for it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isOfHTTP = [
            NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
        ].contains(challenge.protectionSpace.authenticationMethod)
        if isOfHTTP { load(task)?.receiveChallenge() }
        completionHandler(isOfHTTP ? .rejectProtectionSpace : .performDefaultHandling, nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if load(dataTask)?.receive(data) == false { Self.cancel(dataTask) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let load = loads.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        load?.complete(task, error, at: now())
    }
}

extension HTTPURLResponse {
    /// Returns the announced length of the body, as far as it is known in advance.
    fileprivate func announcedLength(for request: URLRequest?) -> UInt64 {
        // RFC 9110 section 8.6: of no body that follows; section 8.4: of the encoded bytes.
        guard request?.httpMethod != "HEAD", ![204, 304].contains(statusCode), expectedContentLength > 0,
            value(forHTTPHeaderField: "Content-Encoding") == nil
        else { return 0 }
        return UInt64(expectedContentLength)
    }
}
