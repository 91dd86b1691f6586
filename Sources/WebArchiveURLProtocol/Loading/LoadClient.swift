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
    /// For the session to follow.
    case redirect(URLRequest, HTTPURLResponse)
}

/// A response in the terms of the loading system.
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
        /// Holds what came in the meantime.
        case suspended(ProtocolReference, LoadOutcome?)
        /// The protocol object is let go: it refers to its load, and so to this.
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

    /// Hands over what the load came to, from any thread but the loading queue's.
    func deliver(_ outcome: LoadOutcome) {
        state.withLock { $0.reference }?.onLoadingQueue { self.deliverAtOnce(outcome) }
    }

    /// Hands over at once; to be called on the loading queue only.
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

    /// The whole body at once: on Linux, a task with a completion handler keeps the last piece only.
    private func tell(_ client: any URLProtocolClient, _ object: URLProtocol, _ loaded: LoadedResponse) {
        client.urlProtocol(object, didReceive: loaded.response, cacheStoragePolicy: .notAllowed)
        if !loaded.body.isEmpty { client.urlProtocol(object, didLoad: loaded.body) }
    }

    // MARK: - What becomes of the task; all on the loading queue

    /// The task is suspended: what comes is kept for ``resume()``.
    func suspend() {
        state.withLock { state in
            if case .running(let reference) = state { state = .suspended(reference, nil) }
        }
    }

    /// The task is resumed: hands over what came meanwhile.
    func resume() {
        let outcome = state.withLock { state -> LoadOutcome? in
            guard case .suspended(let reference, let outcome) = state else { return nil }
            state = .running(reference)
            return outcome
        }
        if let outcome { deliverAtOnce(outcome) }
    }

    /// The task is cancelled: it is told nothing more.
    func stop() { state.withLock { $0 = .ended } }
}
