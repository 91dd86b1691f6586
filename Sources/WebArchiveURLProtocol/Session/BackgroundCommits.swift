// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An observer that commits recorded exchanges when the app goes to the background, from which it may never return.
final class BackgroundCommits: Sendable {
    // The names are spelled out, so that neither UIKit nor AppKit need be linked.
    private static let names = [
        "UIApplicationDidEnterBackgroundNotification", "UIApplicationWillTerminateNotification",
        "NSExtensionHostDidEnterBackgroundNotification", "NSApplicationDidHideNotification",
        "NSApplicationWillTerminateNotification",
    ]

    // Set once; the tokens are only passed back to the notification centre, which may be called on any thread.
    private nonisolated(unsafe) let tokens: [any NSObjectProtocol]

    init(of archive: RecordingArchive) {
        tokens = Self.names.map { name in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) {
                [weak archive] _ in
                // At once: the app may be stopped when this returns. After an error the records stay pending, and `onFailure` is called at
                // the next attempt.
                try? archive?.commit()
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
