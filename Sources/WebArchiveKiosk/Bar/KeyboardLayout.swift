// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The keys of the on-screen keyboard, by language: four rows of letters and digits. Chinese and Japanese have Latin letters, for
/// choosing characters needs a dictionary.
enum KeyboardLayout {
    private static let digits = "1234567890"

    private static let letters: [(tag: String, rows: [String])] = [
        ("en", ["qwertyuiop", "asdfghjkl", "zxcvbnm"]), ("de", ["qwertzuiopü", "asdfghjklöä", "yxcvbnmß"]),
        ("fr", ["azertyuiopé", "qsdfghjklmè", "wxcvbnàçù"]), ("es", ["qwertyuiopá", "asdfghjklñé", "zxcvbnmíóú"]),
        ("ar", ["ضصثقفغعهخحج", "شسيبلاتنمكط", "ئءؤرىةوزظدذ"]),
    ]

    /// The rows of each language.
    static var json: JSONValue {
        .object(letters.map { .init(name: $0.tag, value: .array(([digits] + $0.rows).map { .string($0) })) })
    }
}
