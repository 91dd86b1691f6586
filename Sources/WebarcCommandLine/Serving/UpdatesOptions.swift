// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The options for an archive that is updated while it is shown.
package struct UpdatesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Update the archive from this release folder (see webarc update): an http or https URL, or the path of a folder, which may be removable. May be given several times. \
            Needs --key.
            """, valueName: "address"),
        completion: .directory)
    package var updates: [String] = []

    @Option(
        help: ArgumentHelp("The interval between checks of a host: 90s, 15m, 12h, 2d. (default: 1h)", valueName: "time")
    )
    package var every: DurationArgument?

    @Option(
        help: ArgumentHelp(
            """
            The daily hours, in local time, in which hosts are checked: 02:00-05:00, or several separated by commas. Folders are checked at any time. (default: \
            any time)
            """, valueName: "times"))
    package var updateHours: DayScheduleArgument?

    package init() {}

    /// Checks the options against the rest of the command line.
    ///
    /// - Parameters:
    ///   - files: the archives that are shown.
    ///   - keys: the keys that must have signed.
    package func check(files: [String], keys: [String]) throws {
        guard !updates.isEmpty else {
            if every != nil { throw ValidationError("--every needs --updates") }
            if updateHours != nil { throw ValidationError("--update-hours needs --updates") }
            return
        }
        guard files.count == 1 else { throw ValidationError("--updates takes one archive, not \(files.count)") }
        guard !keys.isEmpty else {
            throw ValidationError("--updates needs the publisher key; give it with --key")
        }
        if let every, every.duration < .seconds(1) {
            throw ValidationError("--every takes at least 1s, not '\(every.defaultValueDescription)'")
        }
    }
}
