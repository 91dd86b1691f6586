// SPDX-License-Identifier: Apache-2.0

/// The fields by which a person or a session is known to a server, which a recorder leaves out.
package enum CredentialFields {
    private static let names = [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Cookie2", "Set-Cookie2", "Authentication-Info",
        "Proxy-Authentication-Info",
    ]

    /// Removes the fields with credentials of a request and its response, and the userinfo of URLs in `Location` and `Content-Location`.
    package static func strip(_ request: inout HeaderFields, _ response: inout HeaderFields) {
        for name in names {
            request.removeAll(named: name)
            response.removeAll(named: name)
        }
        response = HeaderFields(response.map(withoutUserinfo))
    }

    private static func withoutUserinfo(_ field: HeaderField) -> HeaderField {
        guard field.isNamed("Location") || field.isNamed("Content-Location") else { return field }
        return HeaderField(name: field.name, value: withoutUserinfo(field.value))
    }

    /// Returns a reference without the part before "@" in its authority (RFC 3986 section 3.2.1), as browsers read it: a backslash is a slash,
    /// and after `http:` and `https:` any number of them is permitted (URL standard, "special authority ignore slashes state").
    package static func withoutUserinfo(_ text: String) -> String {
        // Which a browser leaves out of a URL.
        let reference = text.contains("\t") ? text.filter { $0 != "\t" } : text
        let scheme = reference.prefix { !":/?#\\".contains($0) }
        let hasScheme = reference[scheme.endIndex...].first == ":"
        let rest = hasScheme ? reference[scheme.endIndex...].dropFirst() : reference[...]
        let slashes = rest.prefix { "/\\".contains($0) }
        let isSpecial = hasScheme && ["http", "https"].contains(scheme.asciiLowercased)
        guard isSpecial || slashes.count >= 2 else { return reference }
        let authority = rest[slashes.endIndex...].prefix { !"/?#\\".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return reference }
        return String(reference[..<slashes.endIndex] + reference[reference.index(after: at)...])
    }
}
