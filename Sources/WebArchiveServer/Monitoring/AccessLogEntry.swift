// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A line of the access log.
struct AccessLogEntry {
    /// The address of the client, which is written unescaped.
    var address: String
    /// The time in nanoseconds since 1970.
    var time: Int64
    /// The method, the target and the version, as the client sent them.
    var requestLine: String
    var status: Int
    /// The number of bytes of content.
    var length: Int
    /// The value of the `Referer` field; nil without one.
    var referrer: String?
    /// The value of the `User-Agent` field; nil without one.
    var userAgent: String?

    /// The line in the Combined Log Format.
    var text: String {
        let length = length == 0 ? "-" : String(length)
        return """
            \(address) - - [\(LogDate.text(nanoseconds: time))] "\(Self.escaped(requestLine))" \(status) \(length) \
            "\(referrer.map(Self.escaped) ?? "-")" "\(userAgent.map(Self.escaped) ?? "-")"
            """
    }

    /// Escapes text like Apache: a backslash before quotes and backslashes, and hexadecimal for bytes outside printable ASCII.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F || $0 == 0x22 || $0 == 0x5C }) else { return text }
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C: result += "\\" + String(UnicodeScalar(byte))
            case 0x20..<0x7F: result.unicodeScalars.append(UnicodeScalar(byte))
            default: result += "\\x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        }
        return result
    }
}

/// The date of a log line, `10/Oct/2000:13:55:36 +0000`, in universal time.
enum LogDate {
    /// Returns the date of a time in nanoseconds since 1970, to the second.
    static func text(nanoseconds: Int64) -> String {
        // "Tue, 10 Oct 2000 13:55:36 GMT" has the same parts.
        let words = HTTPDate.text(nanoseconds: nanoseconds).split(separator: " ")
        return "\(words[1])/\(words[2])/\(words[3]):\(words[4]) +0000"
    }
}
