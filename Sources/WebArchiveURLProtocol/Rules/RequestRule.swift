// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SystemPackage

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Something to be done with certain requests, before any policy sees them.
///
/// A session has a list of rules. Each request goes through it from the first to the last; a rule whose condition holds
/// changes the request that the next ones see, or tells how the response is to be delivered. A rule that blocks or
/// answers ends it, so that what delays, throttles or cuts off has to stand before it. Only ``substitute(_:)`` wins
/// over all others, wherever it stands.
///
///     options.rules = [
///         .block(.notConnectedToInternet, when: .host("ads.example", "*.ads.example")),
///         .block(.dataNotAllowed, when: .metered && .mediaType("video/*")),
///         .setHeader("User-Agent", "Reader/2", when: .any),
///         .respond(withFile: "/srv/fixtures/items.json", when: .url("https://api.example/items")),
///     ]
public struct RequestRule: Sendable {
    enum Action: Sendable {
        case change(@Sendable (URLRequest) -> URLRequest)
        case block(URLError.Code)
        case respond(@Sendable (URLRequest) -> LocalResponse?)
        case substitute([CanonicalURL: LocalResponse])
        case shape(@Sendable (inout Shaping) -> Void)
    }

    let action: Action
    let condition: RequestCondition

    private init(_ action: Action, _ condition: RequestCondition) {
        self.action = action
        self.condition = condition
    }
}

// MARK: - Changing the request

extension RequestRule {
    /// Sets a header field of the request, in place of all of its name.
    public static func setHeader(_ name: String, _ value: String, when condition: RequestCondition = .any)
        -> RequestRule
    {
        changing(when: condition) { $0.setValue(value, forHTTPHeaderField: name) }
    }

    /// Removes a header field of the request.
    ///
    /// `Host`, `User-Agent` and others that the network adds by itself cannot be removed.
    public static func removeHeader(_ name: String, when condition: RequestCondition = .any) -> RequestRule {
        changing(when: condition) { $0.setValue(nil, forHTTPHeaderField: name) }
    }

    /// Has another URL asked instead. The caller sees no redirect: the request goes on with that URL, its method and
    /// its fields.
    ///
    /// - Precondition: the text is an absolute URL.
    public static func redirect(to text: String, when condition: RequestCondition) -> RequestRule {
        guard let url = URL(string: CanonicalURL(rule: text).description) else {
            preconditionFailure("\(text) is no URL")
        }
        return changing(when: condition) { $0.url = url }
    }

    /// Has the URL asked that a closure makes of the request's own; nil leaves it.
    public static func redirect(
        when condition: RequestCondition, to target: @escaping @Sendable (URL) -> URL?
    ) -> RequestRule {
        changing(when: condition) { request in
            if let url = request.url, let other = target(url) { request.url = other }
        }
    }

    /// Has a closure make the request that goes on, with a signature, say. It is called from any thread.
    ///
    /// It sees what the rules before it have made of the request, so it is best the last one.
    public static func sign(
        when condition: RequestCondition = .any, _ sign: @escaping @Sendable (URLRequest) -> URLRequest
    ) -> RequestRule {
        RequestRule(.change(sign), condition)
    }

    private static func changing(
        when condition: RequestCondition, _ change: @escaping @Sendable (inout URLRequest) -> Void
    ) -> RequestRule {
        let action = Action.change { request in
            var request = request
            change(&request)
            return request
        }
        return RequestRule(action, condition)
    }
}

// MARK: - Responding

extension RequestRule {
    /// Fails the request.
    public static func block(_ code: URLError.Code, when condition: RequestCondition) -> RequestRule {
        RequestRule(.block(code), condition)
    }

    /// Responds with the given response.
    public static func respond(with response: LocalResponse, when condition: RequestCondition) -> RequestRule {
        RequestRule(.respond { _ in response }, condition)
    }

    /// Responds with the content of a file; the extension of its name gives the media type. The file is opened for each request.
    public static func respond(withFile file: FilePath, when condition: RequestCondition) -> RequestRule {
        respond(with: .file(file), when: condition)
    }

    /// Responds with bytes; without a media type the response has no `Content-Type`.
    public static func respond(withData data: Data, mediaType: String? = nil, when condition: RequestCondition)
        -> RequestRule
    {
        respond(with: .data(data, mediaType: mediaType), when: condition)
    }

    /// Responds with the response that a closure makes of the request. Where it returns nil, the next rules are tried. The closure is
    /// called from any thread.
    public static func respond(
        when condition: RequestCondition, _ response: @escaping @Sendable (URLRequest) -> LocalResponse?
    ) -> RequestRule {
        RequestRule(.respond(response), condition)
    }

    /// Answers `GET` and `HEAD` for exactly these URLs with files. Wins over all other rules, also of those before it.
    ///
    /// - Precondition: the keys are absolute URLs.
    public static func substitute(_ files: [String: FilePath]) -> RequestRule {
        let responses = files.map { (CanonicalURL(rule: $0.key), LocalResponse.file($0.value)) }
        // Two spellings of one URL: either file is as good.
        return RequestRule(.substitute(Dictionary(responses) { first, _ in first }), .method("GET", "HEAD"))
    }
}

// MARK: - Delivering the response

extension RequestRule {
    /// Keeps the response back for some time. Several delays add up.
    public static func delay(_ time: Duration, when condition: RequestCondition = .any) -> RequestRule {
        RequestRule(.shape { $0.delay += max(.zero, time) }, condition)
    }

    /// Delivers no more bytes a second than this, at least 1. The slowest of several counts.
    public static func throttle(bytesPerSecond: Int, when condition: RequestCondition = .any) -> RequestRule {
        let rate = max(1, bytesPerSecond)
        return RequestRule(.shape { $0.bytesPerSecond = min($0.bytesPerSecond ?? rate, rate) }, condition)
    }

    /// Cuts the connection after that many bytes of the body: the request fails with `networkConnectionLost`. The
    /// shortest of several counts. A body that is no longer than that is delivered whole.
    public static func cutOff(afterBytes count: Int, when condition: RequestCondition = .any) -> RequestRule {
        let count = max(0, count)
        return RequestRule(.shape { $0.cutOff = min($0.cutOff ?? count, count) }, condition)
    }

    /// Changes bytes of the body, the same ones for the same seed and length, to see how an app takes it. The last of
    /// several counts.
    ///
    /// The recorded response is the one that came.
    public static func corrupt(seed: UInt64, when condition: RequestCondition = .any) -> RequestRule {
        RequestRule(.shape { $0.corruption = Corruption(seed: seed) }, condition)
    }
}
