// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Header fields that are not stored, of requests, of responses, or of both. What is delivered keeps them.
///
///     rules = [.strip("X-Device-ID", from: .requests), .strip("Set-Cookie", when: .host("login.example"))]
public struct StoredFieldRule: Sendable {
    /// The sides of an exchange.
    public struct Sides: OptionSet, Hashable, Sendable {
        /// The bits of the set.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Requests.
        public static let requests = Sides(rawValue: 1)
        /// Responses.
        public static let responses = Sides(rawValue: 2)
        /// Requests and responses.
        public static let both: Sides = [.requests, .responses]
    }

    let names: [String]
    let sides: Sides
    let condition: RequestCondition

    /// Strips fields of these names, in any case.
    ///
    /// ``RequestCondition/metered`` never holds here.
    public static func strip(
        _ names: String..., from sides: Sides = .both, when condition: RequestCondition = .any
    ) -> StoredFieldRule {
        StoredFieldRule(names: names, sides: sides, condition: condition)
    }
}

extension [StoredFieldRule] {
    /// Strips the fields of an exchange that is about to be stored.
    ///
    /// - Parameter original: the request that was sent, which the conditions look at.
    func strip(_ request: inout ArchiveRequest, _ response: inout ArchiveResponse, of original: URLRequest) {
        guard !isEmpty else { return }
        let asked = InspectedRequest(original, isMetered: false)
        for rule in self where rule.condition.holds(asked) {
            for name in rule.names {
                if rule.sides.contains(.requests) { request.headers.removeAll(named: name) }
                if rule.sides.contains(.responses) { response.headers.removeAll(named: name) }
            }
        }
    }
}
