// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a load comes to.
enum LoadOutcome: Sendable {
    case answer(LoadedAnswer)
    case failure(URLError)
    /// An answer that breaks off in the middle of its body.
    case cut(LoadedAnswer, URLError)
    /// For the session to follow.
    case redirect(URLRequest, HTTPURLResponse)
}

/// An answer in the terms of the loading system.
struct LoadedAnswer: Sendable {
    var response: HTTPURLResponse
    var body: Data
}

/// The session's side of one load: told once, where the loading system wants to be told, not while the task is suspended, and not
/// after it was stopped.
final class LoadClient: Sendable {
    private enum State {
        case running
        /// Holds what came in the meantime.
        case suspended(LoadOutcome?)
        case ended
    }

    private let reference: ProtocolReference
    private let state = Mutex(State.running)

    init(_ object: URLProtocol) { reference = ProtocolReference(object) }

    /// Hands over what the load came to, from any thread.
    func deliver(_ outcome: LoadOutcome) {
        reference.onLoadingQueue { reference in self.deliver(outcome, to: reference.object) }
    }

    /// Hands over at once; to be called on the loading queue only.
    func deliverAtOnce(_ outcome: LoadOutcome) { deliver(outcome, to: reference.object) }

    private func deliver(_ outcome: LoadOutcome, to object: URLProtocol) {
        let isDue = state.withLock { state in
            switch state {
            case .running:
                state = .ended
                return true
            case .suspended:
                state = .suspended(outcome)
                return false
            case .ended:
                return false
            }
        }
        if isDue { tell(object, outcome) }
    }

    private func tell(_ object: URLProtocol, _ outcome: LoadOutcome) {
        guard let client = object.client else { return }
        switch outcome {
        case .answer(let answer):
            tell(client, object, answer)
            client.urlProtocolDidFinishLoading(object)
        case .cut(let answer, let error):
            tell(client, object, answer)
            client.urlProtocol(object, didFailWithError: error)
        case .failure(let error):
            client.urlProtocol(object, didFailWithError: error)
        case .redirect(let request, let response):
            client.urlProtocol(object, wasRedirectedTo: request, redirectResponse: response)
            client.urlProtocol(object, didFailWithError: CocoaError(.userCancelled))
        }
    }

    /// The whole body at once: on Linux, a task with a completion handler keeps the last piece only.
    private func tell(_ client: any URLProtocolClient, _ object: URLProtocol, _ answer: LoadedAnswer) {
        client.urlProtocol(object, didReceive: answer.response, cacheStoragePolicy: .notAllowed)
        if !answer.body.isEmpty { client.urlProtocol(object, didLoad: answer.body) }
    }

    // MARK: - What becomes of the task; all on the loading queue

    /// The task is suspended: what comes is kept for ``resume()``.
    func suspend() {
        state.withLock { state in
            if case .running = state { state = .suspended(nil) }
        }
    }

    func resume() {
        let outcome = state.withLock { state -> LoadOutcome? in
            guard case .suspended(let outcome) = state else { return nil }
            state = .running
            return outcome
        }
        if let outcome { deliverAtOnce(outcome) }
    }

    /// The task is cancelled: it is told nothing more.
    func stop() { state.withLock { $0 = .ended } }
}
