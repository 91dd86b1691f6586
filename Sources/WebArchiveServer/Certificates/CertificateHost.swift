// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// A host that an authority may certify: one address, or a DNS name that is not a public suffix.
///
/// RFC 5280 section 4.2.1.10 reads an empty name as every name, and lets a name represent all below it.
public struct CertificateHost: Hashable, Comparable, Sendable {
    /// The name in lower case without the dot of the root, or the address in the form of a URL: IPv6 in brackets.
    public let text: String
    /// The bytes of an address; nil for a name.
    let address: IPAddressBytes?

    /// Takes a host in the form of a canonical URL (specification section 8.1): in lower case, and without its port.
    ///
    /// - Parameter host: an address, `localhost`, or a name of at least two labels and at most 253 characters.
    /// - Throws: `invalidArgument` with the reason why no authority may certify it: not a DNS name, one that ends in a number, a
    ///   top-level domain, or a public suffix. The message shows the first 253 characters.
    public init(_ host: String) throws(ArchiveError) {
        address = IPAddressBytes(host)
        text = address == nil ? Self.withoutRoot(host) : host
        if address == nil, let fault = Self.fault(inName: text) {
            let isLong = host.utf8.count > Self.maximumNameLength
            let shown = isLong ? String(host.unicodeScalars.prefix(Self.maximumNameLength)) + "…" : host
            throw ArchiveError(.invalidArgument, "cannot certify '\(shown)': \(fault)")
        }
    }

    /// The maximum length of a DNS name, in characters (RFC 1035 section 2.3.4).
    private static let maximumNameLength = 253

    /// Returns the reason why no authority may certify a name; nil if it may.
    ///
    /// Public suffixes are refused, since their subdomains have different owners.
    private static func fault(inName name: String) -> String? {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= maximumNameLength, labels.allSatisfy(isLabel) else { return "it is not a DNS name" }
        if labels[labels.count - 1].allSatisfy(\.isASCIIDigit) { return "it ends in a number but is not an IP address" }
        if name == "localhost" { return nil }
        if labels.count == 1 { return "a single-label name covers a whole top-level domain" }
        if PublicSuffixes.standard.contains(name) {
            return "it is a public suffix, whose subdomains have different owners"
        }
        return nil
    }

    /// Returns a name without the dot of the root (RFC 1034 section 3.1), which certificates do not have.
    static func withoutRoot(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }

    /// Returns whether text is a label by RFC 1123 section 2.1, or with an underscore, which names in use have.
    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: byte.isASCIIDigit
                }
            }
    }

    /// Returns whether a host's text comes first.
    public static func < (left: CertificateHost, right: CertificateHost) -> Bool { left.text < right.text }
}
