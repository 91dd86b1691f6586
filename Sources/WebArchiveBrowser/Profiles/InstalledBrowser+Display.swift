// SPDX-License-Identifier: Apache-2.0

import Foundation
package import WebArchive

extension InstalledBrowser {
    /// Checks that a window can appear.
    ///
    /// On Linux Chromium and Firefox need one of two variables; cog can draw without a graphical session.
    ///
    /// - Parameter options: for the browser, which may name a display themselves.
    /// - Throws: `invalidArgument` if there is no display.
    package func checkDisplay(
        options: [String], environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ArchiveError) {
        #if os(Linux)
            guard kind == .chromium || kind == .firefox else { return }
            let isUnset = ["DISPLAY", "WAYLAND_DISPLAY"].allSatisfy { environment[$0]?.isEmpty ?? true }
            guard isUnset, !(command + options).contains(where: Self.namesDisplay) else { return }
            throw ArchiveError(
                .invalidArgument, "no display: DISPLAY and WAYLAND_DISPLAY are not set", recovery: .startHeadless)
        #endif
    }

    private static func namesDisplay(_ option: String) -> Bool {
        if ["--ozone-platform=x11", "--ozone-platform=wayland"].contains(option) { return false }
        let name = option.drop { $0 == "-" }
        return name != option && ["display", "headless", "ozone-platform="].contains { name.hasPrefix($0) }
    }
}
