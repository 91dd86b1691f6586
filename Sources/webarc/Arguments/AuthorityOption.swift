// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchiveReplay

/// Where the certificate authority of this device lies.
struct AuthorityOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the device's certificate authority. (default: webarc in the user's folder for state)",
            valueName: "folder"),
        completion: .directory)
    var authority: String?

    var folder: FilePath { authority.map { FilePath($0) } ?? StateFolder.standard }

    /// The authority; without one, tells how to make it.
    func read(for files: [String]) throws(ArchiveError) -> DeviceAuthority {
        do throws(ArchiveError) {
            return try DeviceAuthority(reading: folder)
        } catch  where error.code == .notFound {
            let arguments = files.joined(separator: " ") + (authority.map { " --authority \($0)" } ?? "")
            throw ArchiveError(
                .invalidArgument, "no certificate authority there; make one: webarc ca create \(arguments)",
                path: folder.string)
        }
    }
}
