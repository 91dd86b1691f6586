// SPDX-License-Identifier: Apache-2.0

/// A usage message of ArgumentParser in the form of all others: subject, fault, and remedy.
enum UsageMessage {
    /// Rewrites a message.
    ///
    /// - Parameter text: the message in one line, without a full stop.
    static func rewritten(_ text: String) -> String {
        if let match = text.wholeMatch(
            of: /The value '(.*)' is invalid for '(\S+?)(?: <.*>)?'(?:: (.*)|\. Please provide one of (.*))?/)
        {
            let (_, value, option, form, list) = match.output
            let right = form.map(String.init) ?? list.map { alternatives(String($0)) } ?? "a whole number"
            return "\(option) takes \(right), not '\(value)'"
        }
        if let match = text.wholeMatch(of: /Missing expected argument '(\S+)(?: (.*))?'/) {
            return match.output.1.hasPrefix("-")
                ? "the option \(match.output.1) is missing" : "the argument \(match.output.1) is missing"
        }
        if let match = text.wholeMatch(of: /Missing value for '(\S+)(?: .*)?'/) {
            return "the option \(match.output.1) has no value"
        }
        // ArgumentParser begins with a capital, and no other message does.
        guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
        return (first.lowercased() + text.dropFirst()).replacing("'. Did you mean", with: "'; did you mean")
    }

    /// Returns `a, b or c`, from `'a', 'b' and 'c'` or from a list with a hyphen before each.
    private static func alternatives(_ list: String) -> String {
        let names =
            list.hasPrefix("'")
            ? list.matches(of: /'([^']*)'/).map { String($0.output.1) }
            : list.drop { $0 != "-" }.split(separator: " - ").map {
                $0.hasPrefix("- ") ? String($0.dropFirst(2)) : String($0)
            }
        guard let last = names.last, names.count > 1 else { return names.first ?? list }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}
