// SPDX-License-Identifier: Apache-2.0

/// The conditions of a request, checked against the validators of the response. RFC 9110 section 13.
///
/// Fields are read by name, one at a time, so that a request without a condition costs only these lookups.
package struct Preconditions {
    /// A request field that states a condition, by its name. RFC 9110 section 13.1.
    package enum Field: String, CaseIterable, Sendable {
        /// The condition that the representation is one of some: compared strongly. RFC 9110 section 13.1.1.
        case ifMatch = "If-Match"
        /// The condition that the representation is none of some: compared weakly. RFC 9110 section 13.1.2.
        case ifNoneMatch = "If-None-Match"
        /// The condition that the representation was modified later. RFC 9110 section 13.1.3.
        case ifModifiedSince = "If-Modified-Since"
        /// The condition that the representation was not modified later. RFC 9110 section 13.1.4.
        case ifUnmodifiedSince = "If-Unmodified-Since"
        /// The condition under which `Range` counts. RFC 9110 section 13.1.5.
        case ifRange = "If-Range"
    }

    /// The result of the conditions of a request.
    package enum Result: Sendable {
        /// The conditions hold, or there are none.
        case proceed
        /// The client already has the representation: 304.
        case notModified
        /// A condition does not hold: 412.
        case failed
    }

    /// The strong entity tag of the response, with its quotes; nil without one.
    private let entityTag: String?
    /// The time of the last change of the response, in nanoseconds since 1970.
    private let modified: Int64?

    /// Creates the validators of a response (RFC 9110 section 8.8).
    ///
    /// - Parameters:
    ///   - entityTag: the entity tag, strong, with its quotes; nil without one.
    ///   - modified: the time of the last change in nanoseconds since 1970, of whole seconds; nil if it is not known.
    package init(entityTag: String?, modified: Int64?) {
        self.entityTag = entityTag
        self.modified = modified
    }

    /// Evaluates the conditions against the validators, in the order of section 13.2.2.
    ///
    /// - Parameter field: a function that returns the request's value of a field, nil if it has none.
    package func evaluate(_ field: (Field) -> String?) -> Result {
        if let tags = field(.ifMatch) {
            guard matches(tags, isStrong: true) else { return .failed }
        } else if let limit = field(.ifUnmodifiedSince).flatMap(FieldDate.nanoseconds), let modified, modified > limit {
            return .failed
        }
        if let tags = field(.ifNoneMatch) {
            if matches(tags, isStrong: false) { return .notModified }
        } else if let limit = field(.ifModifiedSince).flatMap(FieldDate.nanoseconds), let modified, modified <= limit {
            return .notModified
        }
        return .proceed
    }

    /// Returns whether `Range` counts, which `If-Range` may prevent: section 13.1.5.
    ///
    /// - Parameter field: the function of ``evaluate(_:)``.
    package func allowsRange(_ field: (Field) -> String?) -> Bool {
        guard let condition = field(.ifRange) else { return true }
        if condition.hasSuffix("\"") { return !condition.hasPrefix("W/") && condition == entityTag }
        // A date is a strong validator here: it is compared with the one that was sent, to the second.
        return FieldDate.nanoseconds(condition).map { $0 == modified } ?? false
    }

    private func matches(_ list: String, isStrong: Bool) -> Bool {
        if list.trimmingOptionalWhitespace == "*" { return true }
        guard let entityTag else { return false }
        // RFC 9110 section 8.8.3.2: of weak tags, a strong comparison finds none equal, and a weak one their opaque parts.
        if isStrong { return EntityTags(list).contains { $0 == entityTag && !$0.hasPrefix("W/") } }
        let own = Self.opaque(entityTag[...])
        return EntityTags(list).contains { Self.opaque($0) == own }
    }

    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}
