// SPDX-License-Identifier: Apache-2.0

/// The form in which the value of a header field is stored. Specification section 7, "HeaderField".
package enum FieldValueEncoding: Int64, Sendable {
    /// The value is a string, the same for all users of the list.
    case literal = 0
    /// The value is the next of the strings of one response or request.
    case fill = 1
    /// The value is the length of the body in decimal digits.
    case contentLength = 2
    /// The value is the time of the last modification, as IMF-fixdate.
    case lastModified = 3
    /// The value is the time of the entry, as IMF-fixdate.
    case date = 4
    /// The value is the digest of the body in quotes: the entity tag that this library assigns to files.
    case digestTag = 5
}
