// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SystemPackage
package import WebArchive

/// The form in which a browser appears.
package enum BrowserDisplay: Sendable {
    /// A browser over all of the screen, without the browser's own controls.
    case fullScreen
    /// A browser in a window, with the browser's own controls, for trials.
    case windowed
    /// A browser without a screen, for tests.
    case headless
}

/// The settings of a browser for one run.
package struct BrowserSetting: Sendable {
    /// The proxy's port on 127.0.0.1.
    package let port: Int
    /// The certificate authority of the proxy.
    package let authority: TrustedAuthority
    /// The form in which the browser appears.
    package let display: BrowserDisplay
    /// The URL of the page at which visits begin.
    package let mainPage: String
    /// An empty folder, which is removed when the browser has ended.
    package let profile: FilePath
    /// Whether this process runs as the superuser, for whom browsers refuse to run their sandbox.
    package var isSuperuser: Bool
    /// The user's own options, after all others.
    package var options: [String] = []
    /// The features of Chromium that are off, besides those that are always.
    package var disabledFeatures: [String] = []
    /// Whether visitors may print, on printers of this machine.
    package var allowsPrinting = false
    /// The measures that keep visitors in the archive.
    package var measures = LockdownMeasures.all

    /// Creates a setting without options of the user's own, without printing, and with all measures.
    ///
    /// - Parameter isSuperuser: whether this process is root's, in which case Chromium has no sandbox.
    package init(
        port: Int, authority: TrustedAuthority, display: BrowserDisplay, mainPage: String, profile: FilePath,
        isSuperuser: Bool = geteuid() == 0
    ) {
        self.port = port
        self.authority = authority
        self.display = display
        self.mainPage = mainPage
        self.profile = profile
        self.isSuperuser = isSuperuser
    }

    /// The URL of the proxy.
    package var proxy: String { "http://127.0.0.1:\(port)" }
}

/// A command that starts a browser with a written profile.
package struct BrowserLaunch: Sendable, Equatable {
    /// The program's path and its arguments.
    package var command: [String]
    /// The variables that are set in addition to those of this process.
    package var environment: [String: String] = [:]
    /// The files that only the browser sees in `/etc`.
    package var etc: FilePath?

    /// Writes the profile, and assembles the command.
    ///
    /// - Throws: `io`; `invalidArgument` with the missing package if something is missing.
    package init(_ browser: InstalledBrowser, _ setting: BrowserSetting) throws(ArchiveError) {
        command = browser.command
        switch browser.kind {
        case .chromium:
            let profile = ChromiumProfile(setting: setting)
            try profile.write()
            command += try profile.arguments + setting.options + [StartPage.address]
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
            let certificate = setting.profile.appending(TrustedAuthority.certificateName)
            try PrivateFile.write(
                setting.authority.certificate, to: certificate, permissions: .ownerReadWrite, replacing: true)
            environment["SSL_CERT_FILE"] = certificate.string
        }
        if setting.measures.contains(.environment) {
            let variables = try BrowserEnvironment(folder: setting.profile.appending("webarc")).write()
            environment.merge(variables) { $1 }
        }
    }
}
