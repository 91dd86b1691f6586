// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive

/// How a browser is to appear.
public enum KioskDisplay: Sendable {
    case fullScreen
    /// In a window, with the browser's own controls, for trials.
    case windowed
    /// Without a screen, for tests.
    case headless
}

/// All that a browser has to be told for one run.
struct BrowserSetting: Sendable {
    /// The proxy's port on 127.0.0.1.
    let port: Int
    let authority: DeviceAuthority
    let display: KioskDisplay
    let mainPage: String
    /// An empty folder, which is removed when the browser has ended.
    let profile: FilePath
    /// Browsers refuse to run their sandbox as the superuser.
    var isSuperuser = geteuid() == 0
    /// Options of the user's own, behind all others.
    var options: [String] = []
    var allowsPrinting = false
    var measures = KioskMeasures.all

    var proxy: String { "http://127.0.0.1:\(port)" }
}

/// A command that starts a browser, whose profile is written.
struct BrowserLaunch: Sendable, Equatable {
    var command: [String]
    var environment: [String: String] = [:]
    /// Files that the browser alone sees in `/etc`.
    var etc: FilePath?

    /// Writes the profile, and puts the command together.
    ///
    /// - Throws: `io`; `invalidArgument` with what to install if something is missing.
    init(_ browser: KioskBrowser, _ setting: BrowserSetting) throws(ArchiveError) {
        command = browser.command
        switch browser.kind {
        case .chromium:
            let profile = ChromiumProfile(setting: setting)
            try profile.write()
            command += try profile.arguments + setting.options + ["data:,"]
            if setting.measures.contains(.policies) {
                let folder = setting.profile.appending("webarc/etc")
                try ChromiumPolicy(
                    allowsPrinting: setting.allowsPrinting, allowsDeveloperTools: setting.display == .windowed
                ).write(to: folder)
                etc = folder
            }
        case .firefox:
            let profile = FirefoxProfile(setting: setting)
            try profile.write()
            command += profile.arguments + setting.options + [setting.mainPage]
        case .cog:
            // It has no way to trust one certificate alone; all its connections end in the proxy, which is on this machine.
            command += ["--proxy=\(setting.proxy)", "--ignore-tls-errors"]
            if setting.display == .headless { command.append("--platform=headless") }
            command += setting.options + [setting.mainPage]
            if setting.display == .fullScreen { environment["COG_PLATFORM_WL_VIEW_FULLSCREEN"] = "1" }
        case .other:
            command += setting.options + [setting.mainPage]
            for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"] { environment[name] = setting.proxy }
            environment["no_proxy"] = ""
            let certificate = setting.profile.appending(DeviceAuthority.certificateName)
            try PrivateFile.write(
                try setting.authority.certificateText(), to: certificate, permissions: .ownerReadWrite, replacing: true)
            environment["SSL_CERT_FILE"] = certificate.string
        }
        if setting.measures.contains(.environment) {
            let variables = try BrowserEnvironment(folder: setting.profile.appending("webarc")).write()
            environment.merge(variables) { $1 }
        }
    }
}
