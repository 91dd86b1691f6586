// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchiveServer
import WebarcCommandLine

extension AuthorityOption {
    /// Returns the authority; without one, the error states how to create it.
    func read(for files: [String]) throws(ArchiveError) -> DeviceAuthority {
        do throws(ArchiveError) {
            return try DeviceAuthority(reading: folder)
        } catch  where error.code == .notFound {
            let arguments = files.joined(separator: " ") + (authority.map { " --authority \($0)" } ?? "")
            throw ArchiveError(
                .invalidArgument, "no certificate authority; create one: webarc ca create \(arguments)",
                path: folder.string)
        }
    }
}
