// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The identifiers of sessions in URLs, which keys of indexes leave out. The texts are in lower case.
enum SessionIdentifiers {
    /// The arguments whose value has 32 letters and digits.
    private static let names = ["jsessionid=", "phpsessid=", "sid="].map { Array($0.utf8) }
    private static let separator = UInt8(ascii: "&")

    /// Removes the identifiers from a query, with the separator behind each.
    static func remove(fromQuery query: inout [UInt8]) {
        for name in names {
            removeLast(&query) { rest in
                guard rest.starts(with: name) else { return nil }
                let value = rest.dropFirst(name.count).prefix { isLetter($0) || isDigit($0) }
                return value.count == 32 ? name.count + 32 : nil
            }
        }
        removeLast(&query) { rest in
            let name = Array("aspsessionid".utf8)
            guard rest.starts(with: name) else { return nil }
            let argument = rest.dropFirst(name.count)
            let key = argument.prefix(while: isLetter)
            guard key.count == 8, argument.dropFirst(8).first == UInt8(ascii: "=") else { return nil }
            return argument.dropFirst(9).prefix(while: isLetter).count == 24 ? name.count + 9 + 24 : nil
        }
        removeLast(&query) { rest in
            var length = 0
            for name in ["cfid=", "&cftoken="].map({ Array($0.utf8) }) {
                let argument = rest.dropFirst(length)
                guard argument.starts(with: name) else { return nil }
                let value = argument.dropFirst(name.count).prefix { $0 != separator }
                guard !value.isEmpty else { return nil }
                length += name.count + value.count
            }
            return length
        }
    }

    /// Removes the last text for which a function returns a length, if a separator or the end follows.
    private static func removeLast(_ query: inout [UInt8], _ length: (ArraySlice<UInt8>) -> Int?) {
        for start in query.indices.reversed() {
            guard let count = length(query[start...]) else { continue }
            let end = start + count
            guard end == query.count || query[end] == separator else { continue }
            query.removeSubrange(start..<min(end + 1, query.count))
            return
        }
    }

    /// Removes the segments with identifiers from the path of a page of ASP.NET.
    static func remove(fromPath path: inout [UInt8]) {
        let text = String(decoding: path, as: UTF8.self)
        guard text.contains(".aspx") else { return }
        let patterns = [
            /^(.*\/)\((?:[a-z]\([0-9a-z]{24}\))+\)\/([^?]+\.aspx.*)$/, /^(.*\/)\([0-9a-z]{24}\)\/([^?]+\.aspx.*)$/,
        ]
        for pattern in patterns {
            guard let match = String(decoding: path, as: UTF8.self).wholeMatch(of: pattern)?.output else { continue }
            path = Array((match.1 + match.2).utf8)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
