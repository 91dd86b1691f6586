// SPDX-License-Identifier: Apache-2.0

/// A quoting of words for a POSIX shell, for commands that a warning proposes.
package enum ShellWord {
    /// Puts a text in quotes, so that a shell takes it for one word and runs no part of it.
    ///
    /// Only a quote ends a text in single quotes (POSIX.1-2017, Shell Command Language, section 2.2.2).
    package static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
