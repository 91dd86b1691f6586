// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The recognition of URLs that a site makes without end.
enum CrawlTrap {
    /// The length of a URL beyond which it is one, in bytes.
    static let maximumLength = 2_048
    /// The number of names in a path beyond which it is one.
    private static let maximumSegmentCount = 40
    /// The number of times that names may follow themselves.
    private static let maximumRepetition = 3

    /// Returns whether the path repeats itself, or the URL is very long.
    static func isTrap(_ url: CanonicalURL) -> Bool {
        guard url.bytes.count <= maximumLength else { return true }
        let names = url.path.split(separator: UInt8(ascii: "/"))
        guard names.count <= maximumSegmentCount else { return true }
        // Sequences of one to four names, each directly after itself.
        for length in 1...4 where names.count >= length * maximumRepetition {
            var same = 0
            for place in length..<names.count {
                same = names[place] == names[place - length] ? same + 1 : 0
                if same == length * (maximumRepetition - 1) { return true }
            }
        }
        return false
    }

    /// The parameters that name a session of a visitor and no page.
    private static let sessions: Set<String> = [
        "phpsessid", "jsessionid", "aspsessionid", "sessionid", "session_id", "sid", "zenid", "oscsid",
    ]

    /// Returns the spelling of a URL that its variants with other sessions share: without such parameters.
    static func identity(_ url: CanonicalURL) -> [UInt8] {
        var path = url.path
        if let semicolon = path.lastIndex(of: UInt8(ascii: ";")),
            isSession(path[(semicolon + 1)...].split(separator: UInt8(ascii: "=")).first ?? [])
        {
            path = path[..<semicolon]
        }
        guard let query = url.query else { return Array(url.root) + path }
        let parts = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).filter { part in
            !isSession(part.prefix { $0 != UInt8(ascii: "=") })
        }
        let rest = Array(parts.joined(separator: [UInt8(ascii: "&")]))
        return Array(url.root) + path + (rest.isEmpty ? [] : [UInt8(ascii: "?")] + rest)
    }

    private static func isSession(_ name: ArraySlice<UInt8>) -> Bool {
        name.count <= 16 && sessions.contains(String(decoding: name.asciiLowercased, as: UTF8.self))
    }

    /// Returns the path of an identity with the names of its parameters, which all pages of one calendar share; nil without a query.
    static func form(_ identity: [UInt8]) -> [UInt8]? {
        guard let mark = identity.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let parts = identity[(mark + 1)...].split(separator: UInt8(ascii: "&"))
        let names = parts.map { $0.prefix { $0 != UInt8(ascii: "=") } }
        return Array(identity[...mark]) + Array(names.joined(separator: [UInt8(ascii: "&")]))
    }
}
