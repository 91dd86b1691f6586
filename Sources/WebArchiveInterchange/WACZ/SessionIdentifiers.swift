// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The identifiers of sessions in URLs, which keys of indexes leave out. The texts are in lower case.
enum SessionIdentifiers {
    /// The arguments whose value has 32 letters and digits.
    private static let names = ["jsessionid=", "phpsessid=", "sid="].map { Array($0.utf8) }
    /// The maximum length of other values, in bytes. Each place of a query is tried.
    private static let maximumValueLength = 256
    private static let separator = UInt8(ascii: "&")

    /// Removes the identifiers from a query, with the separator behind each.
    static func remove(fromQuery query: inout [UInt8]) {
        for name in names {
            removeLast(&query) { rest in
                guard rest.starts(with: name) else { return nil }
                let value = rest.dropFirst(name.count).prefix(33).prefix { isLetter($0) || isDigit($0) }
                return value.count == 32 ? name.count + 32 : nil
            }
        }
        removeLast(&query) { rest in
            let name = Array("aspsessionid".utf8)
            guard rest.starts(with: name) else { return nil }
            let argument = rest.dropFirst(name.count)
            let key = argument.prefix(9).prefix(while: isLetter)
            guard key.count == 8, argument.dropFirst(8).first == UInt8(ascii: "=") else { return nil }
            return argument.dropFirst(9).prefix(25).prefix(while: isLetter).count == 24 ? name.count + 9 + 24 : nil
        }
        removeLast(&query) { rest in
            var length = 0
            for name in ["cfid=", "&cftoken="].map({ Array($0.utf8) }) {
                let argument = rest.dropFirst(length)
                guard argument.starts(with: name) else { return nil }
                let value = argument.dropFirst(name.count).prefix(maximumValueLength).prefix { $0 != separator }
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

    /// Removes the segments with identifiers from the path of a page of ASP.NET: of each form the last one before the last `.aspx`.
    static func remove(fromPath path: inout [UInt8]) {
        for isForm in [isNamedList, isIdentifier] {
            guard let page = lastPage(path), let segment = lastSegment(path, before: page, isForm) else { continue }
            path.removeSubrange(segment.lowerBound..<segment.upperBound + 1)
        }
    }

    private static func lastPage(_ path: [UInt8]) -> Int? {
        let ending = Array(".aspx".utf8)
        return path.indices.last { path[$0] == ending[0] && path[$0...].starts(with: ending) }
    }

    /// Returns the last segment of a form that a name follows before a place.
    private static func lastSegment(_ path: [UInt8], before page: Int, _ isForm: (ArraySlice<UInt8>) -> Bool) -> Range<
        Int
    >? {
        let slash = UInt8(ascii: "/")
        var end = path[..<page].lastIndex(of: slash)
        while let present = end, let start = path[..<present].lastIndex(of: slash) {
            if present + 1 < page, isForm(path[(start + 1)..<present]) { return start + 1..<present }
            end = start
        }
        return nil
    }

    /// Returns whether a segment is an identifier of 24 letters and digits in parentheses.
    private static func isIdentifier(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count == 26 && segment.first == UInt8(ascii: "(") && segment.last == UInt8(ascii: ")")
            && segment.dropFirst().dropLast().allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// Returns whether a segment is one or more such identifiers, each with a letter before it, in parentheses.
    private static func isNamedList(_ segment: ArraySlice<UInt8>) -> Bool {
        guard segment.count >= 29, (segment.count - 2) % 27 == 0, segment.first == UInt8(ascii: "("),
            segment.last == UInt8(ascii: ")")
        else { return false }
        return stride(from: segment.startIndex + 1, to: segment.endIndex - 1, by: 27).allSatisfy { place in
            isLetter(segment[place]) && isIdentifier(segment[(place + 1)..<(place + 27)])
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
