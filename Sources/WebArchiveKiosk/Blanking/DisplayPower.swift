// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

/// The power of the display, as far as it can be switched: by `xset` under X. Elsewhere only a black page is possible.
struct DisplayPower: Sendable {
    let logger: Logger

    private static let environment = ProcessInfo.processInfo.environment

    /// Switches the display off or on, if this is a screen of X with the program `xset`. It does not wait.
    func turn(on isOn: Bool) {
        guard Self.environment["DISPLAY"] != nil, Self.environment["WAYLAND_DISPLAY"] == nil else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The X server switches off only while its power management is on, and by itself it must not.
        process.arguments =
            ["xset"]
            + (isOn ? ["dpms", "force", "on", "-dpms"] : ["+dpms", "dpms", "0", "0", "0", "dpms", "force", "off"])
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
        )
        process.terminationHandler = { [logger] process in
            if process.terminationStatus != 0 {
                logger.info(
                    "xset cannot switch the display \(isOn ? "on" : "off"); the backlight is unchanged"
                )
            }
        }
        try? process.run()
    }
}
