// SPDX-License-Identifier: Apache-2.0

/// The response that conditions and ranges select from a stored 200 (RFC 9110 sections 13.2.2 and 14.2).
package enum RepresentationSelection: Equatable, Sendable {
    /// 200 with all of the content.
    case whole
    /// 304, with ``notModifiedFields`` of the stored response.
    case notModified
    /// 412.
    case preconditionFailed
    /// 206 with these ranges of the content, in bytes; 416 if there are none.
    case ranges([Range<UInt64>])

    /// Selects the response to a GET or a HEAD.
    ///
    /// - Parameters:
    ///   - length: the length of the content, in bytes. `Range` is ignored without one.
    ///   - range: the request's `Range` field, which means something to a GET only (section 14.2); nil for none.
    ///   - field: a function that returns the request's value of a field, nil if it has none.
    package init(
        _ conditions: Preconditions, length: UInt64, range: @autoclosure () -> String?,
        field: (Preconditions.Field) -> String?
    ) {
        switch conditions.evaluate(field) {
        case .failed:
            self = .preconditionFailed
        case .notModified:
            self = .notModified
        case .proceed:
            guard length > 0, let range = range().flatMap(RangeField.init), conditions.allowsRange(field) else {
                self = .whole
                return
            }
            self = .ranges(range.ranges(in: length))
        }
    }

    /// The fields of a stored response that a 304 repeats (section 15.4.5), and `Last-Modified`, by which clients without entity tags
    /// validate; lower case.
    package static let notModifiedFields: Set<String> = [
        "cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary",
    ]
}
