// SPDX-License-Identifier: Apache-2.0

/// An agreement of the text or the picture of a page in its replays with that in the archive's list of pages.
package enum ContentAgreement: String, Sendable {
    /// Both replays show the stored content.
    case equal
    /// Both replays show the same, and the archive has something else.
    case different
    /// The replays differ from each other, so that nothing can be compared.
    case unstable
    /// Both replays show the same, and the archive has nothing to compare with.
    case repeatable
    /// There is nothing to compare: a replay was not finished.
    case unknown
    /// Nothing was wanted: the archive has no picture to compare with.
    case notTaken

    /// Compares.
    ///
    /// - Parameters:
    ///   - first: the content of the first replay; nil if it has none.
    ///   - second: the content of the second replay.
    ///   - stored: the stored content; nil for none.
    package init<Content: Equatable>(_ first: Content?, _ second: Content?, with stored: Content?) {
        guard let first, let second else {
            self = .unknown
            return
        }
        if first != second {
            self = .unstable
        } else {
            self = stored.map { $0 == first ? .equal : .different } ?? .repeatable
        }
    }
}
