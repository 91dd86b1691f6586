// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchiveBrowser

/// An X server without a monitor, with what a visitor has: a keyboard.
final class Screen: Sendable {
    let display: String
    private let server: RunningTool
    private let manager: RunningTool?
    private let watcher: RunningTool

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter hasKeys: whether the window manager has the keys and menus of its usual configuration, and not the guide's.
    init(hasWindowManager: Bool, hasKeys: Bool = false) throws {
        server = try RunningTool([
            "Xvfb", "-displayfd", "2", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset",
        ])
        var number: Substring?
        let server = server
        guard
            waits(until: {
                number = server.errorText.split(separator: "\n").first { $0.allSatisfy(\.isNumber) }
                return number != nil
            }), let number
        else { throw Missing(description: "no Xvfb: \(server.errorText)") }
        display = ":\(number)"
        let environment = ProcessInfo.processInfo.environment.merging(["DISPLAY": display]) { $1 }
        let guided = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Documentation/openbox.xml").standardizedFileURL.path
        manager =
            hasWindowManager
            ? try RunningTool(["openbox"] + (hasKeys ? [] : ["--config-file", guided]), environment: environment) : nil
        // Its output goes to standard error, where it can be read while it runs.
        watcher = try RunningTool(
            ["sh", "-c", "exec stdbuf -oL xev -root -event substructure >&2"], environment: environment)
        if hasWindowManager {
            guard
                waits(until: {
                    (try? self.run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]))?.contains("0x") == true
                })
            else { throw Missing(description: "no openbox") }
        }
    }

    deinit {
        for tool in [watcher, manager, server] { tool?.signal(SIGTERM) }
    }

    private func run(_ arguments: [String]) throws -> String {
        let environment = ProcessInfo.processInfo.environment.merging(["DISPLAY": display]) { $1 }
        let result = try ExternalTool.run(arguments, environment: environment)
        guard result.status == 0 else { throw Missing(description: "\(arguments): \(result.errorText)") }
        return result.text
    }

    /// The installed Chromium, which shows itself here.
    func browser(in folder: TemporaryFolder, settings: String = "") throws -> InstalledBrowser {
        let chromium = try InstalledBrowser.find().command[0]
        let script = try folder.write(
            "chromium", Array("#!/bin/sh\n\(settings)\nDISPLAY=\(display) exec '\(chromium)' \"$@\"\n".utf8))
        guard chmod(script.string, 0o755) == 0 else { throw Missing(description: "\(script)") }
        return try InstalledBrowser(script.string)
    }

    /// Presses keys one after the other, as `xdotool` names them.
    func press(_ keys: [String]) throws { _ = try run(["xdotool", "key", "--delay", "40"] + keys) }

    /// Clicks somewhere.
    func click(_ x: Int, _ y: Int, button: Int = 1) throws {
        _ = try run(["xdotool", "mousemove", String(x), String(y), "click", String(button)])
    }

    /// Turns the wheel at the pointer while Control is held.
    func turnWheelWithControl() throws {
        _ = try run(["xdotool", "keydown", "ctrl", "click", "5", "click", "5", "click", "5", "keyup", "ctrl"])
    }

    /// The titles of all windows that are there.
    func windowTitles() throws -> [String] {
        try run(["xwininfo", "-root", "-tree"]).split(separator: "\n").compactMap { line in
            line.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first.map(String.init)
        }
    }

    /// A window that another program opens.
    func openWindow() throws -> RunningTool {
        let environment = ProcessInfo.processInfo.environment.merging(["DISPLAY": display]) { $1 }
        return try RunningTool(["xev"], environment: environment)
    }

    /// The number of windows that have appeared so far.
    var windowCount: Int { watcher.errorText.split(separator: "\n").count { $0.hasPrefix("MapNotify") } }
}
