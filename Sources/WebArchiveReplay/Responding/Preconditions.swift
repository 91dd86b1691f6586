// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The conditions of a request, held against what would be answered. RFC 9110 section 13.
struct Preconditions {
    enum Result {
        case proceed
        /// 304.
        case notModified
        /// 412.
        case failed
    }

    let fields: HTTPFields
    let entityTag: String?
    /// In nanoseconds since 1970.
    let modified: Int64?

    init(_ fields: HTTPFields, for answer: StoredAnswer) {
        self.fields = fields
        entityTag = answer.entityTag
        modified = answer.modified
    }

    /// In the order of section 13.2.2.
    func evaluate() -> Result {
        if let tags = fields[.ifMatch] {
            guard matches(tags, isStrong: true) else { return .failed }
        } else if let limit = date(.ifUnmodifiedSince), let modified, modified > limit {
            return .failed
        }
        if let tags = fields[.ifNoneMatch] {
            if matches(tags, isStrong: false) { return .notModified }
        } else if let limit = date(.ifModifiedSince), let modified, modified <= limit {
            return .notModified
        }
        return .proceed
    }

    /// Whether `Range` counts: section 13.1.5.
    var allowsRange: Bool {
        guard let condition = fields[.ifRange] else { return true }
        if condition.hasSuffix("\"") { return !condition.hasPrefix("W/") && condition == entityTag }
        // A date is a strong validator here: it is compared with the one that was sent, to the second.
        return FieldDate.nanoseconds(condition).map { $0 == modified } ?? false
    }

    private func matches(_ list: String, isStrong: Bool) -> Bool {
        if list.trimmingWhitespace == "*" { return true }
        guard let entityTag else { return false }
        return EntityTags(list).contains { tag in
            tag.hasPrefix("W/") ? !isStrong && tag.dropFirst(2) == entityTag : tag == entityTag
        }
    }

    private func date(_ name: HTTPField.Name) -> Int64? { fields[name].flatMap(FieldDate.nanoseconds) }
}

/// The entity tags of a list (RFC 9110 section 8.8.3), which may have commas inside of their quotes.
struct EntityTags: Sequence, IteratorProtocol {
    private var rest: Substring

    init(_ list: String) { rest = list[...] }

    mutating func next() -> Substring? {
        rest = rest.drop { " \t,".contains($0) }
        guard let open = rest.firstIndex(of: "\""), rest[..<open] == "" || rest[..<open] == "W/",
            let close = rest[rest.index(after: open)...].firstIndex(of: "\"")
        else { return nil }
        defer { rest = rest[rest.index(after: close)...] }
        return rest[...close]
    }
}
