// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An observer that commits what was recorded when the app goes to the background, from where it may never come back.
final class BackgroundCommits: Sendable {
    // The names are written out, so that neither UIKit nor AppKit must be there.
    private static let names = [
        "UIApplicationDidEnterBackgroundNotification", "UIApplicationWillTerminateNotification",
        "NSExtensionHostDidEnterBackgroundNotification", "NSApplicationDidHideNotification",
        "NSApplicationWillTerminateNotification",
    ]

    // Set once; the only thing done with the tokens is to hand them back to the notification centre, which may be called on any thread.
    private nonisolated(unsafe) let tokens: [any NSObjectProtocol]

    init(of archive: RecordingArchive) {
        tokens = Self.names.map { name in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) {
                [weak archive] _ in
                // At once: the app may be stopped when this returns. What fails waits, and is told to `onFailure` when it is tried again.
                try? archive?.commit()
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
