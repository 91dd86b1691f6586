// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The rules of a host's robots.txt for this crawler (RFC 9309).
///
/// ```swift
/// let rules = RobotsRules(parsing: Array("User-agent: *\nDisallow: /private/".utf8), agent: "webarc")
/// print(rules.allows(try CanonicalURL("https://example.org/private/notes")))  // false
/// ```
public struct RobotsRules: Sendable {
    /// A rule, in the order of the file.
    private struct Rule {
        let pattern: [UInt8]
        let isAllowing: Bool
    }

    /// The number of bytes that are read: RFC 9309 section 2.5 has this minimum.
    public static let maximumLength = 500 << 10
    private static let maximumRuleCount = 20_000
    /// A pattern of many wildcards costs time for each URL.
    private static let maximumPatternLength = 2_048

    private var rules: [Rule] = []
    /// The URLs of sitemaps, as given.
    public private(set) var sitemaps: [String] = []
    /// The seconds between two requests that the file wishes; nil if it does not say.
    public private(set) var delay: Double?
    /// Whether nothing is allowed, since the file could not be loaded.
    public let isUnreachable: Bool

    /// The rules of a host without the file (section 2.3.1.3).
    public static let allowingAll = RobotsRules(isUnreachable: false)
    /// The rules of a host that cannot say (section 2.3.1.4).
    public static let disallowingAll = RobotsRules(isUnreachable: true)

    private init(isUnreachable: Bool) { self.isUnreachable = isUnreachable }

    /// Creates the rules that a response gives: those of its body, all allowed for a status of 4xx, and none for one of 5xx (section 2.3.1).
    ///
    /// - Parameters:
    ///   - status: the status after redirects; nil if there was no response.
    ///   - body: the body; bytes beyond ``maximumLength`` do not count.
    ///   - agent: the product token of the crawler.
    public init(status: Int?, body: [UInt8], agent: String) {
        switch status {
        case .some(200...299): self.init(parsing: body, agent: agent)
        // A chain of redirects without an end counts as a missing file (section 2.3.1.2).
        case .some(300...499): self = .allowingAll
        default: self = .disallowingAll
        }
    }

    /// Parses a file. Lines that are none of its are passed over (section 2.2).
    ///
    /// - Parameters:
    ///   - body: the bytes of the file.
    ///   - agent: the product token of the crawler, compared without regard to case.
    public init(parsing body: [UInt8], agent: String) {
        isUnreachable = false
        var groups = RobotsGroups(agent: Array(agent.utf8))
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        for line in text.prefix(Self.maximumLength).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = line.prefix { $0 != UInt8(ascii: "#") }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: Self.trimmed(line[..<colon]).asciiLowercased, as: UTF8.self)
            let value = Self.trimmed(line[(colon + 1)...])
            switch name {
            case "user-agent": groups.begin(value)
            case "allow", "disallow":
                groups.endNames()
                guard groups.isOurs, !value.isEmpty, value.count <= Self.maximumPatternLength,
                    groups.rules.count < Self.maximumRuleCount
                else { continue }
                var pattern: [UInt8] = []
                PercentEncoding.appendNormalized(value, to: &pattern)
                groups.rules.append((pattern, name == "allow"))
            case "crawl-delay":
                groups.endNames()
                if groups.isOurs { groups.delay = Double(String(decoding: value, as: UTF8.self)) }
            case "sitemap":
                if sitemaps.count < 1_000 { sitemaps.append(String(decoding: value, as: UTF8.self)) }
            default: continue
            }
        }
        rules = groups.rules.map { Rule(pattern: $0.pattern, isAllowing: $0.isAllowing) }
        delay = groups.delay.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let start = bytes.firstIndex(where: { !isBlank($0) }), let end = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return bytes[start...end]
    }

    /// Returns whether a page may be loaded: the longest rule that matches decides, and of two of the same length the one that allows (section 2.2.2).
    public func allows(_ url: CanonicalURL) -> Bool {
        guard !isUnreachable else { return url.path.elementsEqual("/robots.txt".utf8) }
        var target = Array(url.path)
        if let query = url.query { target += [UInt8(ascii: "?")] + query }
        if target == Array("/robots.txt".utf8) { return true }
        var best: (length: Int, isAllowing: Bool)?
        for rule in rules where best.map({ rule.pattern.count >= $0.length }) ?? true {
            guard best.map({ rule.pattern.count > $0.length || rule.isAllowing }) ?? true,
                Self.matches(rule.pattern, target)
            else { continue }
            best = (rule.pattern.count, rule.isAllowing)
        }
        return best?.isAllowing ?? true
    }

    /// Returns whether a pattern matches a path from its beginning. It takes time in proportion to both lengths multiplied at most.
    private static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
        let isEnded = pattern.last == UInt8(ascii: "$")
        let pattern = isEnded ? pattern.dropLast() : pattern[...]
        var (place, position) = (pattern.startIndex, 0)
        // The places at which to continue if the bytes after the last star do not match.
        var star: (place: Int, position: Int)?
        while true {
            if place < pattern.endIndex, pattern[place] == UInt8(ascii: "*") {
                place += 1
                star = (place, position)
            } else if place == pattern.endIndex, !isEnded || position == path.count {
                return true
            } else if place < pattern.endIndex, position < path.count, pattern[place] == path[position] {
                place += 1
                position += 1
            } else if let last = star, last.position < path.count {
                star = (last.place, last.position + 1)
                (place, position) = (last.place, last.position + 1)
            } else {
                return false
            }
        }
    }
}

/// The groups of a robots.txt, of which those for one agent count, or else those for all.
private struct RobotsGroups {
    typealias Rules = [(pattern: [UInt8], isAllowing: Bool)]

    let agent: [UInt8]
    /// Whether the present group has names only so far.
    private var isInNames = false
    private var isForAgent = false
    private var isForAll = false
    private var hasAgent = false
    private var ofAgent: (rules: Rules, delay: Double?) = ([], nil)
    private var ofAll: (rules: Rules, delay: Double?) = ([], nil)

    init(agent: [UInt8]) { self.agent = agent.asciiLowercased }

    /// Whether the present group may count.
    var isOurs: Bool { isForAgent || isForAll }

    mutating func begin(_ name: ArraySlice<UInt8>) {
        if !isInNames { (isForAgent, isForAll) = (false, false) }
        isInNames = true
        // The product token is the name up to a version (section 2.2.1).
        let token = name.prefix { byte in
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F || byte == 0x2D
        }
        if name.elementsEqual([UInt8(ascii: "*")]) { isForAll = true }
        if !token.isEmpty, token.asciiLowercased == agent { (isForAgent, hasAgent) = (true, true) }
    }

    mutating func endNames() { isInNames = false }

    /// The rules of the groups that count; those that are appended belong to the present group.
    var rules: Rules {
        get { hasAgent ? ofAgent.rules : ofAll.rules }
        set {
            guard let last = newValue.last else { return }
            if isForAgent { ofAgent.rules.append(last) }
            if isForAll { ofAll.rules.append(last) }
        }
    }

    var delay: Double? {
        get { hasAgent ? ofAgent.delay : ofAll.delay }
        set {
            if isForAgent { ofAgent.delay = newValue }
            if isForAll { ofAll.delay = newValue }
        }
    }
}
