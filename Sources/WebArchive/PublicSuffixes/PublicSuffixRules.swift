// SPDX-License-Identifier: Apache-2.0

/// The rules of Mozilla's list of public suffixes that have several labels, as data.
///
/// A label is followed by the labels below it in parentheses. "~" marks a label that is not a rule itself, "!" an exception.
enum PublicSuffixRules {
    static let parts = [part1, part2]
}
