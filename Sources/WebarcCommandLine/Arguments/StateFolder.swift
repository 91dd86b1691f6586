// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder for a user's data that are neither settings nor caches.
package enum StateFolder {
    package static var standard: FilePath {
        let environment = ProcessInfo.processInfo.environment
        return folder(in: environment) ?? folder(atHome: FilePath(URL.homeDirectory.path))
    }

    /// Returns the folder that an environment names; nil if it names none. A relative path counts as none, as the XDG base directory
    /// specification says.
    package static func folder(in environment: [String: String]) -> FilePath? {
        // systemd passes the folders of StateDirectory= to a service, separated by colons, the first of the unit first.
        if let folders = environment["STATE_DIRECTORY"], let folder = absolute(folders.split(separator: ":").first) {
            return folder
        }
        if let folder = absolute(environment["XDG_STATE_HOME"]) { return folder.appending("webarc") }
        // Before the user database, which may lack the user of a service or a container.
        return absolute(environment["HOME"]).map(folder(atHome:))
    }

    private static func absolute(_ path: (some StringProtocol)?) -> FilePath? {
        path.flatMap { $0.hasPrefix("/") ? FilePath(String($0)) : nil }
    }

    private static func folder(atHome home: FilePath) -> FilePath {
        #if canImport(Darwin)
            return home.appending("Library/Application Support/webarc")
        #else
            return home.appending(".local/state/webarc")
        #endif
    }
}
