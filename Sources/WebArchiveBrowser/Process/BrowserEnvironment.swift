// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive

/// An environment in which a browser finds no program to pass an address or a file to.
struct BrowserEnvironment {
    /// An empty folder of the run.
    let folder: FilePath

    /// The programs by which browsers open addresses in other programs.
    static let openers = [
        "exo-open", "gio", "gnome-open", "gvfs-open", "kde-open", "kde-open5", "kde-open6", "kfmclient", "open",
        "run-mailcap",
        "see", "sensible-browser", "wslview", "www-browser", "x-www-browser", "xdg-desktop-menu", "xdg-email",
        "xdg-mime",
        "xdg-open", "xdg-settings",
    ]

    /// The folders of data that do not describe programs.
    private static let data = ["fontconfig", "fonts", "glib-2.0", "icons", "locale", "mime", "themes", "X11"]

    /// Writes the folders, and returns the variables that lead to them.
    ///
    /// - Throws: `io`.
    func write() throws(ArchiveError) -> [String: String] {
        let programs = folder.appending("bin")
        for path in [programs, folder.appending("data"), folder.appending("config/gtk-3.0")] {
            try PrivateFile.makeFolder(path)
        }
        // A program that fails, in the place of each: it is found first.
        let failing = FileManager.default.isExecutableFile(atPath: "/bin/false") ? "/bin/false" : "/usr/bin/false"
        for name in Self.openers { try link(programs.appending(name), to: failing) }
        for name in Self.data where FileManager.default.fileExists(atPath: "/usr/share/\(name)") {
            try link(folder.appending("data/\(name)"), to: "/usr/share/\(name)")
        }
        // Not the printer that writes files.
        try PrivateFile.write(
            "[Settings]\ngtk-print-backends=cups\n", to: folder.appending("config/gtk-3.0/settings.ini"),
            permissions: .ownerReadWrite, replacing: true)
        return [
            "PATH": "\(programs):\(InstalledBrowser.searchPath)",
            "BROWSER": "false",
            "XDG_CONFIG_HOME": folder.appending("config").string, "XDG_CONFIG_DIRS": folder.appending("config").string,
            "XDG_DATA_HOME": folder.appending("home").string, "XDG_DATA_DIRS": folder.appending("data").string,
            "XDG_CACHE_HOME": folder.appending("cache").string, "XDG_STATE_HOME": folder.appending("state").string,
            // Portals open addresses and files, services of the system find printers of the network.
            "DBUS_SESSION_BUS_ADDRESS": "disabled:", "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
            "CUPS_SERVER": "/run/cups/cups.sock",
        ]
    }

    private func link(_ path: FilePath, to target: String) throws(ArchiveError) {
        guard symlink(target, path.string) == 0 else {
            throw ArchiveError(.io, "cannot create a symbolic link", path: path.string, cause: Errno(rawValue: errno))
        }
    }
}
