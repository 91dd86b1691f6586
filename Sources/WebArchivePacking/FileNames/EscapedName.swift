// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The escaped form of names that plain file names cannot represent: `%webarc%` and URL text, over several components if necessary.
///
/// The mark is repeated once for each time that an ordinary tree's own names already look like this (its level), so
/// that escaped and plain names can never meet.
struct EscapedName: Equatable {
    /// The beginning of an escaped name, which has it as many times as its level says.
    static let mark = Array("%webarc%".utf8)
    /// The beginning of each component after the first of an escaped name that needs several.
    static let continuation = Array("%webarc+".utf8)

    /// The number of bytes after its mark that fit in a continuation, leaving room for the "^" that announces another one.
    private static let room = FileNameRules.maximumLength - 1 - continuation.count

    /// The ending of a file's name whose ordinary form is a directory's.
    private static let besideDirectory = Array("^-".utf8)

    /// The URL text, in which "^" and two hexadecimals represent a byte that the file name may not contain.
    let text: [UInt8]
    /// The number of marks, at least one.
    let level: Int

    /// Takes a text that is escaped already. ``read()`` returns nil for one that the mapping does not make.
    init(text: [UInt8], level: Int) {
        self.text = text
        self.level = level
    }

    /// Escapes a piece of a canonical URL.
    init(token: ArraySlice<UInt8>, isBesideDirectory: Bool = false) {
        var text: [UInt8] = []
        text.reserveCapacity(token.count)
        for index in token.indices {
            let byte = token[index]
            if FileNameRules.allowEscaped(byte) {
                text.append(byte)
            } else {
                // No canonical URL holds "^".
                text.append(.ascii("^"))
                PercentEncoding.appendHex(byte, to: &text)
            }
        }
        if isBesideDirectory { text += Self.besideDirectory }
        self.init(text: text, level: 1)
    }

    /// Returns the piece of URL that this represents; nil if it would not have been escaped to this text.
    func read() -> (token: ArraySlice<UInt8>, isBesideDirectory: Bool)? {
        let isBesideDirectory = text.suffix(2) == Self.besideDirectory[...]
        let source = isBesideDirectory ? text.dropLast(2) : text[...]
        var token: [UInt8] = []
        token.reserveCapacity(source.count)
        var index = source.startIndex
        while index < source.endIndex {
            if source[index] != .ascii("^") {
                token.append(source[index])
                index += 1
            } else {
                guard source.endIndex - index > 2, let high = PercentEncoding.hexValue(source[index + 1]),
                    let low = PercentEncoding.hexValue(source[index + 2])
                else { return nil }
                token.append(high << 4 | low)
                index += 3
            }
        }
        let again = EscapedName(token: token[...], isBesideDirectory: isBesideDirectory)
        return again.text == text ? (token[...], isBesideDirectory) : nil
    }

    /// The components: one if the mark and the text fit, otherwise a head and continuations.
    var components: [[UInt8]] {
        var whole: [UInt8] = []
        for _ in 0..<level { whole.append(contentsOf: Self.mark) }
        whole.append(contentsOf: text)
        guard whole.count > FileNameRules.maximumLength else { return [whole] }
        let head = whole.prefix(FileNameRules.maximumLength - 1)
        var rest = whole[head.endIndex...]
        var components = [Array(head) + [.ascii("^")]]
        while rest.count > Self.room {
            components.append(Self.continuation + rest.prefix(Self.room) + [.ascii("^")])
            rest = rest.dropFirst(Self.room)
        }
        components.append(Self.continuation + rest)
        return components
    }

    /// Returns whether a name begins like an escaped one.
    static func isMarked(_ name: [UInt8]) -> Bool { name.starts(with: mark) }

    /// Returns whether an escaped name can end with this component.
    static func mayEnd(_ name: ArraySlice<UInt8>) -> Bool { name.starts(with: mark) || name.starts(with: continuation) }

    /// Reads the escaped name that begins at `index`, and its end; nil without one.
    ///
    /// A nil component is one that is not a plain name and hence no part of an escaped one.
    static func read(_ components: [[UInt8]?], at index: Int) -> (name: EscapedName, end: Int)? {
        guard let first = components[index], isMarked(first) else { return nil }
        var whole = first[...]
        var end = index + 1
        if goesOn(first) {
            whole.removeLast()
            var last = first
            while goesOn(last) {
                guard end < components.endIndex, let next = components[end], next.starts(with: continuation),
                    next.count > continuation.count, next.count < FileNameRules.maximumLength || goesOn(next)
                else { return nil }
                whole.append(contentsOf: next.dropFirst(continuation.count))
                if goesOn(next) { whole.removeLast() }
                last = next
                end += 1
            }
            guard whole.count > FileNameRules.maximumLength else { return nil }
        }
        var level = 0
        while whole.starts(with: mark) {
            whole = whole.dropFirst(mark.count)
            level += 1
        }
        return (EscapedName(text: Array(whole), level: level), end)
    }

    /// Returns whether a component announces another one: it has the maximum length and ends in `^`, with which no escaped text ends.
    private static func goesOn(_ component: [UInt8]) -> Bool {
        component.count == FileNameRules.maximumLength && component.last == .ascii("^")
    }
}
