// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The outcome of a load.
enum LoadOutcome: Sendable {
    case response(LoadedResponse)
    case failure(URLError)
    /// A response that breaks off in the middle of its body.
    case cut(LoadedResponse, URLError)
    /// A redirect for the session to follow.
    case redirect(URLRequest, HTTPURLResponse)
}

/// A response in the types of the loading system.
struct LoadedResponse: Sendable {
    var response: HTTPURLResponse
    var body: Data
}

/// The URL loading system's side of one load.
///
/// It delivers each event once, on the thread that the loading system expects, and none while the task is suspended or after it was stopped.
final class LoadClient: Sendable {
    private enum State {
        case running(ProtocolReference)
        /// The task is suspended, with the outcome that arrived meanwhile.
        case suspended(ProtocolReference, LoadOutcome?)
        /// The protocol object is released: it refers to its load, and so to this.
        case ended

        var reference: ProtocolReference? {
            switch self {
            case .running(let reference), .suspended(let reference, _): reference
            case .ended: nil
            }
        }
    }

    private let state: Mutex<State>

    init(_ object: URLProtocol) { state = Mutex(.running(ProtocolReference(object))) }

    /// Delivers the outcome of the load, from any thread except that of the loading queue.
    func deliver(_ outcome: LoadOutcome) {
        state.withLock { $0.reference }?.onLoadingQueue { self.deliverAtOnce(outcome) }
    }

    /// Delivers the outcome at once; call it only on the loading queue.
    func deliverAtOnce(_ outcome: LoadOutcome) {
        let due = state.withLock { state -> ProtocolReference? in
            switch state {
            case .running(let reference):
                state = .ended
                return reference
            case .suspended(let reference, _):
                state = .suspended(reference, outcome)
                return nil
            case .ended:
                return nil
            }
        }
        if let due { tell(due.object, outcome) }
    }

    /// Makes the calls that the loading system expects, in its order; on the loading queue.
    private func tell(_ object: URLProtocol, _ outcome: LoadOutcome) {
        guard let client = object.client else { return }
        switch outcome {
        case .response(let loaded):
            tell(client, object, loaded)
            client.urlProtocolDidFinishLoading(object)
        case .cut(let loaded, let error):
            tell(client, object, loaded)
            client.urlProtocol(object, didFailWithError: error)
        case .failure(let error):
            client.urlProtocol(object, didFailWithError: error)
        case .redirect(let request, let response):
            client.urlProtocol(object, wasRedirectedTo: request, redirectResponse: response)
            client.urlProtocol(object, didFailWithError: CocoaError(.userCancelled))
        }
    }

    /// Delivers the whole body at once: on Linux, a task with a completion handler keeps only the last piece.
    private func tell(_ client: any URLProtocolClient, _ object: URLProtocol, _ loaded: LoadedResponse) {
        client.urlProtocol(object, didReceive: loaded.response, cacheStoragePolicy: .notAllowed)
        if !loaded.body.isEmpty { client.urlProtocol(object, didLoad: loaded.body) }
    }

    // MARK: - Events of the task; all on the loading queue

    /// Suspends the task: an outcome is kept for ``resume()``.
    func suspend() {
        state.withLock { state in
            if case .running(let reference) = state { state = .suspended(reference, nil) }
        }
    }

    /// Resumes the task: delivers an outcome that arrived meanwhile.
    func resume() {
        let outcome = state.withLock { state -> LoadOutcome? in
            guard case .suspended(let reference, let outcome) = state else { return nil }
            state = .running(reference)
            return outcome
        }
        if let outcome { deliverAtOnce(outcome) }
    }

    /// Cancels the task: no more calls are made.
    func stop() { state.withLock { $0 = .ended } }
}
