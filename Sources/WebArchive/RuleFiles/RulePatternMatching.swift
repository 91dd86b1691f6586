// SPDX-License-Identifier: Apache-2.0

/// The path and host of a request in the form in which patterns match them.
package struct RuleRequest {
    /// The maximum length of a path, in bytes after encoding; a longer one matches no rule.
    static let pathLimit = 16_384

    /// The path, percent-encoded as patterns are.
    let path: [UInt8]
    /// The path with its trailing slash removed or added, since Netlify normalises the slash before the rules are tried
    /// ("Redirect options", trailing slash); nil for the path `/`.
    let otherPath: [UInt8]?
    /// The host in lower case, without port; nil if it is not known or too long.
    let host: [UInt8]?
    /// The client; nil if no condition holds.
    let client: RuleClient?
    /// The remaining steps; nil for no limit.
    let effort: RuleEffort?
    /// The parsed query, computed when a rule needs it.
    let query: RuleQuery

    /// Creates a request; nil for a text that is not a path or is too long.
    package init?(
        path: String, query: String? = nil, host: String?, client: RuleClient? = nil,
        effort: RuleEffort? = nil
    ) {
        (self.client, self.effort) = (client, effort)
        self.query = RuleQuery(query ?? "")
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= Self.pathLimit else { return nil }
        let path = RuleURLText.normalized(path.utf8)
        guard path.count <= Self.pathLimit else { return nil }
        self.path = path
        if path.count == 1 {
            otherPath = nil
        } else if path.last == UInt8(ascii: "/") {
            otherPath = Array(path.dropLast())
        } else {
            otherPath = path + [UInt8(ascii: "/")]
        }
        // Rules match on any port.
        let name = host.map { $0.utf8.prefix { $0 != UInt8(ascii: ":") } }
        if let name, name.count <= 255 { self.host = name.asciiLowercased } else { self.host = nil }
    }
}

/// The text that the placeholders and splats of a pattern matched.
package typealias RuleCaptures = [(name: [UInt8], value: [UInt8])]

extension RulePattern {
    /// Matches a request; nil if it does not match, and an empty list if nothing is captured.
    ///
    /// The path is matched unchanged, then with its trailing slash removed or added.
    package func match(_ request: RuleRequest) -> RuleCaptures? {
        request.effort?.take(1)
        if request.effort?.isExceeded == true { return nil }
        var captures: RuleCaptures = []
        if let host {
            guard let name = request.host, let found = Self.match(host, name, request.effort) else { return nil }
            captures = found
        }
        if let found = Self.match(path, request.path, request.effort) { return captures + found }
        guard let other = request.otherPath, let found = Self.match(path, other, request.effort) else { return nil }
        return captures + found
    }

    /// Returns whether a text has the literals of a pattern, in their order. They distinguish most rules before any allocation.
    private static func hasLiterals(_ tokens: [Token], _ text: [UInt8], steps: inout Int) -> Bool {
        text.withUnsafeBytes { text in
            var (start, end) = (0, text.count)
            if case .literal(let last)? = tokens.last {
                guard last.count <= end, text[(end - last.count)...].elementsEqual(last) else { return false }
                if tokens.count == 1 { return last.count == end }
                end -= last.count
            }
            for (number, token) in tokens.dropLast().enumerated() {
                guard case .literal(let literal) = token else { continue }
                let rest = text[start..<end]
                if number == 0 {
                    guard rest.starts(with: literal) else { return false }
                    start = literal.count
                } else if let place = firstPlace(of: literal, in: rest, &steps) {
                    start = place + literal.count
                } else {
                    return false
                }
            }
            return true
        }
    }

    private static func firstPlace(
        of literal: [UInt8], in text: Slice<UnsafeRawBufferPointer>, _ steps: inout Int
    ) -> Int? {
        var rest = text
        while rest.count >= literal.count {
            guard let place = rest.firstIndex(of: literal[0]) else {
                steps += rest.count / 16
                return nil
            }
            steps += 1 + literal.count / 8 + (place - rest.startIndex) / 16
            rest = rest[place...]
            if rest.starts(with: literal) { return place }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Matches greedily, as the hosts' regular expressions do, in time linear in tokens × text.
    ///
    /// Captures are entered at ever smaller positions, since each entry follows an end that an earlier
    /// capture released. So one number a capture, the lowest end already tried, is enough never to try
    /// an end twice.
    private static func match(_ tokens: [Token], _ text: [UInt8], _ effort: RuleEffort?) -> RuleCaptures? {
        var steps = 0
        defer { effort?.take(steps) }
        guard hasLiterals(tokens, text, steps: &steps) else { return nil }
        if tokens.count == 1, case .literal = tokens[0] { return [] }
        steps += tokens.count
        var captures: [(token: Int, start: Int, shortest: Int)] = []
        var lowestEnd = [Int](repeating: text.count + 1, count: tokens.count)
        var parts = [Range<Int>](repeating: text.count..<text.count, count: tokens.count)
        var index = 0
        var position = 0

        while true {
            // As much work as some rules that do not match.
            steps += 4
            var advanced = false
            if index == tokens.count {
                if position == text.count {
                    return captures.compactMap { capture in
                        guard case .capture(let name, _) = tokens[capture.token] else { return nil }
                        return (name, Array(text[capture.start..<lowestEnd[capture.token]]))
                    }
                }
            } else {
                switch tokens[index] {
                case .literal(let literal):
                    if text[position...].starts(with: literal) {
                        position += literal.count
                        advanced = true
                    }
                case .capture(_, let kind):
                    let shortest = kind == .splat ? position : position + 1
                    let longest = min(longestEnd(kind, text, position, &parts[index]), lowestEnd[index] - 1)
                    if longest >= shortest {
                        captures.append((index, position, shortest))
                        lowestEnd[index] = longest
                        position = longest
                        advanced = true
                    }
                }
            }
            if advanced {
                index += 1
                continue
            }
            // Returns one byte of the last capture that can spare one.
            while let last = captures.last, lowestEnd[last.token] <= last.shortest { captures.removeLast() }
            guard let last = captures.last else { return nil }
            lowestEnd[last.token] -= 1
            position = lowestEnd[last.token]
            index = last.token + 1
        }
    }

    /// Returns the furthest position that a capture starting at `position` can reach.
    ///
    /// `part` is the part found for the same capture before; that one starts at `position` or later,
    /// so each byte is looked at once for each capture.
    private static func longestEnd(
        _ kind: CaptureKind, _ text: [UInt8], _ position: Int, _ part: inout Range<Int>
    ) -> Int {
        if kind == .splat { return text.count }
        func endsPart(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "/") || (kind == .hostPart && byte == UInt8(ascii: "."))
        }
        var end = position
        while end < part.lowerBound, !endsPart(text[end]) { end += 1 }
        if end >= part.lowerBound { end = max(part.upperBound, position) }
        part = position..<end
        return end
    }
}
