// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder in which a user's programs keep data that is neither a setting nor a cache.
package enum StateFolder {
    package static var standard: FilePath {
        let environment = ProcessInfo.processInfo.environment
        return folder(in: environment) ?? folder(atHome: FilePath(URL.homeDirectory.path))
    }

    /// Returns the folder that an environment names; nil if it names none. A path that is not absolute counts as none, as the XDG base directory
    /// specification says.
    package static func folder(in environment: [String: String]) -> FilePath? {
        // systemd gives a service the folders of StateDirectory=, separated by colons, the first of the unit first.
        if let folders = environment["STATE_DIRECTORY"], let folder = absolute(folders.split(separator: ":").first) {
            return folder
        }
        if let folder = absolute(environment["XDG_STATE_HOME"]) { return folder.appending("webarc") }
        // Before the user database, which a service or a container may know nothing of.
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
