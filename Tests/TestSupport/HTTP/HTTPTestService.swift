// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The routes and the log of a server.
final class HTTPTestService: Sendable {
    enum Route: Sendable {
        case response(HTTPTestResponse)
        case responder(HTTPTestServer.Responder)
    }

    struct State: Sendable {
        var requests: [HTTPTestRequest] = []
        var failures: [String] = []
        var connections = 0
        var openConnections = 0
    }

    private struct Routes {
        var byTarget: [String: Route] = [:]
        var other: HTTPTestServer.Responder?
    }

    private let routes = Mutex(Routes())
    let state = WatchedState(State())

    func setRoute(_ path: String, _ route: Route?) { routes.withLock { $0.byTarget[path] = route } }

    func setOther(_ responder: @escaping HTTPTestServer.Responder) { routes.withLock { $0.other = responder } }

    func response(_ path: String) -> HTTPTestResponse? {
        guard case .response(let response)? = routes.withLock({ $0.byTarget[path] }) else { return nil }
        return response
    }

    /// Logs a request, and makes its response.
    func response(to request: HTTPTestRequest) -> HTTPTestResponse {
        state.change { $0.requests.append(request) }
        let route: Route? = routes.withLock { routes in
            routes.byTarget[request.target] ?? routes.byTarget[request.path] ?? routes.other.map { .responder($0) }
        }
        do {
            switch route {
            case .response(let response): return response.answering(request)
            case .responder(let responder): return try responder(request).answering(request)
            case nil: return .status(404, "There is nothing at \(request.target).\n")
            }
        } catch {
            note("\(request.method) \(request.target): \(error)")
            return .status(500, "\(error)\n")
        }
    }

    func note(_ failure: String) { state.change { $0.failures.append(failure) } }

    /// The number of a connection that has just come.
    func countConnection() -> Int {
        state.change { state in
            state.connections += 1
            state.openConnections += 1
            return state.connections
        }
    }

    func endConnection() { state.change { $0.openConnections -= 1 } }
}
