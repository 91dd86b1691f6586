// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SystemPackage

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// An action on certain requests, before the policy.
///
/// A session has a list of rules. Each request goes through it from the first to the last, and so does each hop of its redirects; a
/// rule whose condition holds changes the request for the next ones, or the delivery of the response. A rule that
/// blocks or responds ends the list for that request. Rules that delay, throttle or cut off must therefore come first. Only
/// ``substitute(_:)`` takes precedence over all others, at any position.
///
/// ```swift
/// options.rules = [
///     .block(.notConnectedToInternet, when: .host("ads.example", "*.ads.example")),
///     .block(.dataNotAllowed, when: .metered && .mediaType("video/*")),
///     .setHeader("User-Agent", "Reader/2", when: .any),
///     .respond(withFile: "/srv/fixtures/items.json", when: .url("https://api.example/items")),
/// ]
/// ```
///
/// A changed request is also the one that is looked up and recorded.
public struct RequestRule: Sendable {
    enum Action: Sendable {
        case change(@Sendable (URLRequest) -> URLRequest)
        case block(URLError.Code)
        case respond(@Sendable (URLRequest) -> LocalResponse?)
        case substitute([CanonicalURL: LocalResponse])
        case shape(@Sendable (inout NetworkConditioning) -> Void)
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
    /// Sets a header field of the request, and replaces all of its name.
    ///
    /// - Parameters:
    ///   - name: the field's name, in any case.
    ///   - value: the new value.
    ///   - condition: the requests that are changed; all by default.
    public static func setHeader(_ name: String, _ value: String, when condition: RequestCondition = .any)
        -> RequestRule
    {
        changing(when: condition) { $0.setValue(value, forHTTPHeaderField: name) }
    }

    /// Removes a header field of the request.
    ///
    /// `Host`, `User-Agent` and others that the network adds by itself cannot be removed.
    ///
    /// - Parameters:
    ///   - name: the field's name, in any case.
    ///   - condition: the requests that are changed; all by default.
    public static func removeHeader(_ name: String, when condition: RequestCondition = .any) -> RequestRule {
        changing(when: condition) { $0.setValue(nil, forHTTPHeaderField: name) }
    }

    /// Requests a different URL instead. The caller sees no redirect: the request continues with that URL, its method and its fields.
    ///
    /// - Parameters:
    ///   - text: the URL to request, which is canonicalised (specification section 8.1), without a fragment.
    ///   - condition: the requests that are changed.
    /// - Precondition: the text is an absolute URL.
    public static func redirect(to text: String, when condition: RequestCondition) -> RequestRule {
        guard let url = URL(string: CanonicalURL(rule: text).description) else {
            preconditionFailure("\(text) is not a URL")
        }
        return changing(when: condition) { $0.url = url }
    }

    /// Requests the URL that a closure makes of the request's own; nil keeps it.
    ///
    /// - Parameters:
    ///   - condition: the requests that are changed.
    ///   - target: a function that is called for each such request, from any thread.
    public static func redirect(
        when condition: RequestCondition, to target: @escaping @Sendable (URL) -> URL?
    ) -> RequestRule {
        changing(when: condition) { request in
            if let url = request.url, let other = target(url) { request.url = other }
        }
    }

    /// Continues with the request that a closure makes, with a signature, say. It is called from any thread.
    ///
    /// The closure sees the result of the earlier rules, so this is best the last one. Its changes are recorded, except
    /// credentials and fields that a ``StoredFieldRule`` strips.
    ///
    /// - Parameters:
    ///   - condition: the requests that are given to it; all by default.
    ///   - sign: a function that makes the request that replaces its argument.
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
    /// Fails the request, before any lookup or load.
    ///
    /// - Parameters:
    ///   - code: the code of the `URLError`, `notConnectedToInternet` say.
    ///   - condition: the requests that fail.
    public static func block(_ code: URLError.Code, when condition: RequestCondition) -> RequestRule {
        RequestRule(.block(code), condition)
    }

    /// Responds with the given response. It uses neither archive nor network, and records nothing.
    ///
    /// - Parameters:
    ///   - response: the same for each request; ``LocalResponse/failure`` makes it fail. A redirect in it is followed.
    ///   - condition: the requests that it responds to.
    public static func respond(with response: LocalResponse, when condition: RequestCondition) -> RequestRule {
        RequestRule(.respond { _ in response }, condition)
    }

    /// Responds with the content of a file; the extension of its name determines the media type. The file is opened for each request; one that
    /// cannot be read fails the request with `fileDoesNotExist` or `cannotOpenFile`.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - condition: the requests that it responds to.
    public static func respond(withFile file: FilePath, when condition: RequestCondition) -> RequestRule {
        respond(with: .file(file), when: condition)
    }

    /// Responds with bytes; without a media type the response has no `Content-Type`.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - mediaType: the media type, with its parameters; nil, as by default, for none.
    ///   - condition: the requests that it responds to.
    public static func respond(withData data: Data, mediaType: String? = nil, when condition: RequestCondition)
        -> RequestRule
    {
        respond(with: .data(data, mediaType: mediaType), when: condition)
    }

    /// Responds with the response that a closure makes of the request. If it returns nil, the next rules are tried. The closure is
    /// called from any thread.
    ///
    /// - Parameters:
    ///   - condition: the requests for which the closure is called.
    ///   - response: a function of the request, after the earlier rules.
    public static func respond(
        when condition: RequestCondition, _ response: @escaping @Sendable (URLRequest) -> LocalResponse?
    ) -> RequestRule {
        RequestRule(.respond(response), condition)
    }

    /// Responds to `GET` and `HEAD` for exactly these URLs with files. Takes precedence over all other rules, regardless of order.
    ///
    /// The time of a lookup does not depend on the number of URLs.
    ///
    /// - Parameter files: the paths by URL, which is compared in canonical form. Each file is opened for each request.
    /// - Precondition: the keys are absolute URLs.
    public static func substitute(_ files: [String: FilePath]) -> RequestRule {
        let responses = files.map { (CanonicalURL(rule: $0.key), LocalResponse.file($0.value)) }
        // Two spellings of one URL: either file is as good.
        return RequestRule(.substitute(Dictionary(responses) { first, _ in first }), .method("GET", "HEAD"))
    }
}

// MARK: - Delivering the response

extension RequestRule {
    /// Delays the response. Several delays add up, including those of all hops of a redirect.
    ///
    /// - Parameters:
    ///   - time: the time from the request to the head of the response; less than zero counts as zero. At the request's own `timeoutInterval` it
    ///     fails with `timedOut`.
    ///   - condition: the requests that wait; all by default.
    public static func delay(_ time: Duration, when condition: RequestCondition = .any) -> RequestRule {
        RequestRule(.shape { $0.delay += max(.zero, time) }, condition)
    }

    /// Delivers no more bytes a second than this, at least 1. The slowest of several counts.
    ///
    /// The body is delivered in one piece, when its last byte is due.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: the bytes per second of the body; less than 1 counts as 1.
    ///   - condition: the requests that are throttled; all by default.
    public static func throttle(bytesPerSecond: Int, when condition: RequestCondition = .any) -> RequestRule {
        let rate = max(1, bytesPerSecond)
        return RequestRule(.shape { $0.bytesPerSecond = min($0.bytesPerSecond ?? rate, rate) }, condition)
    }

    /// Cuts the connection after that many bytes of the body: the request fails with `networkConnectionLost`. The shortest of several
    /// counts. A body that is no longer than that is delivered whole.
    ///
    /// - Parameters:
    ///   - count: the number of bytes of the body that are still delivered; less than 0 counts as 0.
    ///   - condition: the requests that are cut off; all by default.
    public static func cutOff(afterBytes count: Int, when condition: RequestCondition = .any) -> RequestRule {
        let count = max(0, count)
        return RequestRule(.shape { $0.cutOff = min($0.cutOff ?? count, count) }, condition)
    }

    /// Changes bytes of the body, the same ones for the same seed and length, to test an app. The last of several counts.
    ///
    /// One byte in each 1,024 is changed, and at least one of a nonempty body. The recorded response is the original.
    ///
    /// - Parameters:
    ///   - seed: any number; a different one changes other bytes.
    ///   - condition: the requests whose responses are changed; all by default.
    public static func corrupt(seed: UInt64, when condition: RequestCondition = .any) -> RequestRule {
        RequestRule(.shape { $0.corruption = Corruption(seed: seed) }, condition)
    }
}
