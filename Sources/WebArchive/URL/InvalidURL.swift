// SPDX-License-Identifier: Apache-2.0

/// A reason why a text has no canonical URL. Specification section 8.1, by the steps of its algorithm.
public enum InvalidURL: Error, Hashable, Sendable {
    /// The text, or its canonical form, is longer than ``CanonicalURL/maximumLength`` bytes. Steps 1 and 11.
    case tooLong
    /// The text does not begin with a scheme and ":" (RFC 3986 section 3.1). Step 4.
    case missingScheme
    /// The scheme is http, https, ws, wss or ftp and is not followed by "//". Step 5.
    case missingAuthority
    /// The scheme is http, https, ws, wss or ftp and the host is empty. Step 7.3.
    case emptyHost
    /// The host contains a non-ASCII byte, a control character or a forbidden host code point of the URL standard: the
    /// first such byte.
    ///
    /// Internationalised names must be given as A-labels. Step 7.3.
    case forbiddenHostByte(UInt8)
    /// The host begins with "[" and is not an IP literal (RFC 3986 section 3.2.2). The address itself is not checked. Step
    /// 7.2.
    case invalidIPLiteral
    /// The port contains a character other than a digit, or is above 65535. Step 7.4.
    case invalidPort
}

extension InvalidURL: CustomStringConvertible {
    /// A message for people.
    public var description: String {
        switch self {
        case .tooLong: "the URL exceeds \(CanonicalURL.maximumLength) bytes"
        case .missingScheme: "the URL has no scheme"
        case .missingAuthority: "the URL's scheme must be followed by \"//\" and a host"
        case .emptyHost: "the URL has no host"
        case .forbiddenHostByte(let byte): "the URL's host contains the forbidden byte 0x\(String(byte, radix: 16))"
        case .invalidIPLiteral: "the URL's host is not an IP literal"
        case .invalidPort: "the URL's port is not a number from 0 to 65535"
        }
    }
}
