// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebarcCommandLine

@Suite struct StateFolderTests {
    #if canImport(Darwin)
        private static let ofHome = "Library/Application Support/webarc"
    #else
        private static let ofHome = ".local/state/webarc"
    #endif

    /// systemd.exec(5), `StateDirectory=`; XDG base directory specification, "Environment variables".
    @Test(
        arguments: [
            (["STATE_DIRECTORY": "/var/lib/webarc"], "/var/lib/webarc"),
            (["STATE_DIRECTORY": "/var/lib/webarc:/var/lib/other", "HOME": "/home/kiosk"], "/var/lib/webarc"),
            (["STATE_DIRECTORY": "/var/lib/webarc", "XDG_STATE_HOME": "/state"], "/var/lib/webarc"),
            (["STATE_DIRECTORY": "", "XDG_STATE_HOME": "/state", "HOME": "/home/kiosk"], "/state/webarc"),
            (["STATE_DIRECTORY": "relative", "XDG_STATE_HOME": "/state"], "/state/webarc"),
            (["XDG_STATE_HOME": "relative", "HOME": "/home/kiosk"], "/home/kiosk/\(ofHome)"),
            (["XDG_STATE_HOME": "", "HOME": "/home/kiosk"], "/home/kiosk/\(ofHome)"),
            (["HOME": "relative"], nil), (["HOME": ""], nil), ([:], nil),
        ] as [([String: String], String?)])
    func folderOfAnEnvironment(environment: [String: String], folder: String?) {
        #expect(StateFolder.folder(in: environment) == folder.map { FilePath($0) })
    }

    /// The unit's folder is the one that the guide names, and the only one that its service may write to.
    @Test func unitGivesTheFolder() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Documentation")
        let unit = try String(contentsOf: folder.appending(path: "webarc-kiosk.service"), encoding: .utf8)
        let guide = try String(contentsOf: folder.appending(path: "kiosk.md"), encoding: .utf8)
        let name = try #require(unit.firstMatch(of: #/(?m)^StateDirectory=(\S+)$/#)?.1)
        let state = try #require(StateFolder.folder(in: ["STATE_DIRECTORY": "/var/lib/\(name)"]))
        #expect(guide.contains("`\(state.appending("kiosk"))`"))
        #expect(unit.contains("ProtectSystem=strict"))
    }
}
