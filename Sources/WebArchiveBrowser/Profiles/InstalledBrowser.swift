// SPDX-License-Identifier: Apache-2.0

import Foundation
package import WebArchive

/// A browser installed on this machine.
///
/// ```swift
/// let browser = try InstalledBrowser.find()
/// let other = try InstalledBrowser("firefox --safe-mode")
/// ```
package struct InstalledBrowser: Sendable, Equatable {
    /// A family of browsers, by the options that they understand. The name of the program determines it.
    package enum Kind: Sendable, CaseIterable {
        /// Chromium and its derivatives, controlled by the DevTools protocol.
        case chromium
        /// Firefox, which gets its settings by a profile.
        case firefox
        /// WPE WebKit's launcher.
        case cog
        /// Any other browser, which gets the address of the page as its argument, and the proxy in its environment.
        case other

        /// The names of programs, the likelier first.
        var names: [String] {
            switch self {
            case .chromium: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
            case .firefox: ["firefox-esr", "firefox"]
            case .cog: ["cog"]
            case .other: []
            }
        }

        /// The paths of a program that is installed outside `PATH`.
        var places: [String] {
            #if canImport(Darwin)
                switch self {
                case .chromium:
                    [
                        "/Applications/Chromium.app/Contents/MacOS/Chromium",
                        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
                    ]
                case .firefox: ["/Applications/Firefox.app/Contents/MacOS/firefox"]
                case .cog, .other: []
                }
            #else
                []
            #endif
        }

        init(program: String) {
            let name = program.split(separator: "/").last?.lowercased() ?? ""
            if name.contains("chrom") {
                self = .chromium
            } else if name.contains("firefox") {
                self = .firefox
            } else {
                self = name == "cog" ? .cog : .other
            }
        }
    }

    /// The kind of browser.
    package let kind: Kind
    /// The program's path, and its first arguments; never empty.
    package let command: [String]

    /// Finds the browser that a user names. It starts nothing.
    ///
    /// - Parameters:
    ///   - command: a path, or the name of a program in `PATH`, followed by arguments after blanks. If the whole is the path of a program, blanks
    ///     belong to the path.
    ///   - path: the folders, separated by `:`; ``searchPath`` by default.
    /// - Throws: `invalidArgument` if there is no such program.
    package init(_ command: String, path: String = Self.searchPath) throws(ArchiveError) {
        // The whole may be the path of a program, with blanks in it.
        if let program = Self.program(command, path) {
            self.init(kind: Kind(program: program), command: [program])
            return
        }
        let words = command.split(separator: " ").map(String.init)
        guard let name = words.first, let program = Self.program(name, path) else {
            throw ArchiveError(.invalidArgument, "browser not found", path: command, recovery: .nameBrowser)
        }
        self.init(kind: Kind(program: program), command: [program] + words.dropFirst())
    }

    private init(kind: Kind, command: [String]) {
        self.kind = kind
        self.command = command
    }

    /// Finds the first installed browser: Chromium, else Firefox, else cog.
    ///
    /// - Parameter path: the folders, separated by `:`; ``searchPath`` by default.
    /// - Throws: `invalidArgument` if there is none.
    package static func find(path: String = Self.searchPath) throws(ArchiveError) -> InstalledBrowser {
        for kind in Kind.allCases {
            for name in kind.names + kind.places {
                if let program = program(name, path) { return InstalledBrowser(kind: kind, command: [program]) }
            }
        }
        throw ArchiveError(.invalidArgument, "no browser found", recovery: .installBrowser)
    }

    /// The folders in which programs are searched, separated by `:`: `PATH` of this process, or else `/usr/bin:/bin`.
    package static var searchPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

    private static func program(_ name: String, _ path: String) -> String? {
        let candidates = name.contains("/") ? [name] : path.split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first { candidate in
            var isFolder = ObjCBool(false)
            return FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder) && !isFolder.boolValue
                && FileManager.default.isExecutableFile(atPath: candidate)
        }
    }
}

extension InstalledBrowser {
    /// Checks that a window can appear.
    ///
    /// On Linux Chromium and Firefox need one of two variables; cog can draw without a graphical session.
    ///
    /// - Parameter options: the options for the browser, which may name a display themselves.
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
