// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A rule that strips fields of requests, of responses, or of both before they are stored. Delivered responses keep them.
///
/// ```swift
/// options.strippedFields = [.strip("X-Device-ID", from: .requests), .strip("Set-Cookie", when: .host("login.example"))]
/// ```
///
/// A response whose `Vary` names a field that is stripped from its request is not recorded (``RecordingOutcome/Reason/varying``).
public struct StoredFieldRule: Sendable {
    /// The sides of an exchange.
    public struct Sides: OptionSet, Hashable, Sendable {
        /// The bits of the set.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The fields of requests.
        public static let requests = Sides(rawValue: 1)
        /// The fields of responses.
        public static let responses = Sides(rawValue: 2)
        /// The fields of requests and responses.
        public static let both: Sides = [.requests, .responses]
    }

    let names: [String]
    let sides: Sides
    let condition: RequestCondition

    /// Strips fields of these names, in any case.
    ///
    /// - Parameters:
    ///   - names: the names of the fields.
    ///   - sides: the sides; both by default.
    ///   - condition: a condition on the sent request; ``RequestCondition/metered`` never holds here. All requests by default.
    public static func strip(
        _ names: String..., from sides: Sides = .both, when condition: RequestCondition = .any
    ) -> StoredFieldRule {
        StoredFieldRule(names: names, sides: sides, condition: condition)
    }
}

extension [StoredFieldRule] {
    /// Strips the fields of an exchange before it is stored.
    ///
    /// - Parameter original: the request that was sent, which the conditions look at.
    func strip(_ request: inout ArchiveRequest, _ response: inout ArchiveResponse, of original: URLRequest) {
        guard !isEmpty else { return }
        let inspected = InspectedRequest(original, isMetered: false)
        for rule in self where rule.condition.holds(inspected) {
            for name in rule.names {
                if rule.sides.contains(.requests) { request.headers.removeAll(named: name) }
                if rule.sides.contains(.responses) { response.headers.removeAll(named: name) }
            }
        }
    }
}
