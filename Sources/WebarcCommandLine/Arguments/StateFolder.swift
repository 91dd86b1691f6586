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
        // What systemd gives a service, and what the XDG base directory specification says.
        if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return FilePath(String(folder)) }
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            return FilePath(folder).appending("webarc")
        }
        // HOME first: Foundation asks the user database, which a service or a container may know nothing of.
        let home = FilePath(environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? URL.homeDirectory.path)
        #if canImport(Darwin)
            return home.appending("Library/Application Support/webarc")
        #else
            return home.appending(".local/state/webarc")
        #endif
    }
}
