// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The head of a response as a server sent it.
package struct ReceivedHead: Sendable {
    /// The protocol and its version, such as `HTTP/1.1`.
    package var version: String
    /// The status code, 100 to 999.
    package var status: Int
    /// The reason phrase (RFC 9112 section 4): any bytes; empty with HTTP/2.
    package var reason: [UInt8]
    /// The fields in their order, with their case and their duplicates.
    package var fields: HeaderFields
    /// The bytes of the head with the empty line; nil with HTTP/2, whose heads are no text.
    package var bytes: [UInt8]?

    /// Whether another response to the same request follows (RFC 9110 section 15.2).
    var isInformational: Bool { status < 200 && status != 101 }
}
