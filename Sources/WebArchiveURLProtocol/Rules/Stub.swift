// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A test double that returns registered responses, records the requests, and fails every other request with an error.
///
/// ```swift
/// let stub = Stub()
/// stub.get("https://api.example/items", json: ["items": [1, 2]])
/// stub.post("https://api.example/items", .status(201), .status(503), .failure(.timedOut))
/// let configuration = URLSessionConfiguration.ephemeral
/// configuration.install(stub)
/// let session = URLSession(configuration: configuration)
/// ```
///
/// Nothing goes to the network or to an archive. A request without a response fails with `resourceUnavailable` and an error that names it
/// and all registered requests. A stub may be used from any thread, and installed in several configurations.
public final class Stub: Sendable {
    private struct Registration {
        /// The method and URL, for messages.
        let description: String
        let condition: RequestCondition
        let responses: [LocalResponse]
        var responseCount = 0
    }

    private struct State {
        var registrations: [Registration] = []
        var requests: [URLRequest] = []
        var unmatched: [URLRequest] = []
    }

    private let state = Mutex(State())

    /// Creates a stub without registered responses: every request fails.
    public init() {}

    // MARK: - Registered responses

    /// Registers the responses to a method and a URL, in order, with the last one repeated. A later registration
    /// takes precedence over earlier ones for the same requests.
    ///
    /// - Parameters:
    ///   - method: the method in upper case, as methods are case-sensitive.
    ///   - url: the URL, compared in canonical form, with its query and without a fragment.
    ///   - responses: at least one.
    /// - Precondition: the text is an absolute URL, and there is a response.
    public func on(_ method: String, _ url: String, _ responses: LocalResponse...) { register(method, url, responses) }

    /// Registers the responses to all requests that satisfy a condition; see ``on(_:_:_:)``.
    ///
    /// - Parameters:
    ///   - condition: the condition. ``RequestCondition/metered`` never holds for a stub.
    ///   - name: the name of the condition in messages.
    ///   - responses: at least one response, returned in order for any request.
    /// - Precondition: there is a response.
    public func on(_ condition: RequestCondition, named name: String = "a condition", _ responses: LocalResponse...) {
        register(name, condition, responses)
    }

    func register(_ method: String, _ url: String, _ responses: [LocalResponse]) {
        register("\(method) \(url)", .method(method) && .url(url), responses)
    }

    private func register(_ description: String, _ condition: RequestCondition, _ responses: [LocalResponse]) {
        precondition(!responses.isEmpty, "\(description) was registered without a response")
        let registration = Registration(description: description, condition: condition, responses: responses)
        state.withLock { $0.registrations.append(registration) }
    }

    // MARK: - Received requests

    /// All requests in their order, including those without a response and hops of redirects. A readable body is
    /// their `httpBody`.
    public var requests: [URLRequest] { state.withLock(\.requests) }

    /// The requests without a registered response, in their order.
    public var unansweredRequests: [URLRequest] { state.withLock(\.unmatched) }

    /// Returns the requests for a URL, by any method, in their order.
    ///
    /// - Parameter url: the URL, compared in canonical form, without a fragment.
    /// - Returns: the requests; an empty list if there were none.
    /// - Precondition: the text is an absolute URL.
    public func requests(for url: String) -> [URLRequest] {
        let condition = RequestCondition.url(url)
        return requests.filter { condition.holds(InspectedRequest($0, isMetered: false)) }
    }

    // MARK: -

    /// Responds to a request, and remembers it.
    ///
    /// - Parameter request: the request with its body as `httpBody`, if it has one, for inspection by tests.
    func outcome(for request: URLRequest) -> RuleOutcome {
        let inspected = InspectedRequest(request, isMetered: false)
        let registrations = state.withLock { state in
            state.requests.append(request)
            return state.registrations
        }
        // A condition may be a closure of the test, which may use the stub.
        guard let number = registrations.lastIndex(where: { $0.condition.holds(inspected) }) else {
            state.withLock { $0.unmatched.append(request) }
            return .block(URLError(.resourceUnavailable, request.url, Self.complaint(inspected, registrations)))
        }
        return state.withLock { state in
            let registration = state.registrations[number]
            state.registrations[number].responseCount += 1
            return .delayed(
                registration.responses[min(registration.responseCount, registration.responses.count - 1)],
                NetworkConditioning())
        }
    }

    private static func complaint(_ inspected: InspectedRequest, _ registrations: [Registration]) -> String {
        let url = inspected.request.url?.absoluteString ?? "a request without a URL"
        let known = registrations.map { "\n  \($0.description)" }.joined()
        return "no stub matches \(inspected.method) \(url); registered: \(known.isEmpty ? "nothing" : known)"
    }
}
