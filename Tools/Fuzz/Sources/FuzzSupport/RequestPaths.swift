// SPDX-License-Identifier: Apache-2.0

/// Paths to try rules with: those of a text's own patterns, made concrete, and some that most patterns do not expect.
public func requestPaths(for patterns: some Sequence<String>) -> [String] {
    var paths = ["/", "/a/b.html", "//", "/%2e%2E/\u{E9}?#\n"]
    for pattern in patterns.prefix(8) {
        var path = Array(pattern.utf8)
        if let host = pattern.utf8.firstRange(of: "://".utf8) {
            path = Array(pattern.utf8[host.upperBound...].drop { $0 != UInt8(ascii: "/") })
        }
        let concrete = path.flatMap { $0 == UInt8(ascii: "*") ? Array("x/y".utf8) : [$0] }
        paths.append(String(decoding: concrete.filter { $0 != UInt8(ascii: ":") }, as: UTF8.self))
        paths.append(String(decoding: path, as: UTF8.self))
    }
    return paths
}
