// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The options by which exchanges are stored.
struct StoringOptions: Sendable {
    var path: FilePath
    var keepsCredentials = false
    /// The names of further fields of requests that are not stored.
    var withheldFields: [String] = []
    /// Whether content is kept as it was received as well, with its codings and chunks.
    var keepsOriginals = false
    /// Whether responses that the archive already has are not stored again.
    var leavesOutUnchanged = false
    /// The maximum length of a decoded body; a longer one stays coded.
    var maximumBodyLength = UInt64.max
    /// The length of the archive beyond which nothing more is stored.
    var maximumArchiveLength = UInt64.max
    var commitInterval = Duration.seconds(5)
    /// The number of waiting bytes that cause a commit at once.
    var maximumPendingLength: UInt64 = 32 << 20
    /// A function that is called for each exchange once its stored form is known.
    var onExchange: (@Sendable (ProxiedExchange) -> Void)?
    /// A function that is called with errors of commits, and with reasons why exchanges are left out.
    var onFailure: (@Sendable (ArchiveError) -> Void)?
}
