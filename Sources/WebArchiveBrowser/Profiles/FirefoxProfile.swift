// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive

/// The options and preferences of Firefox. Its trusted certificates are in a database that `certutil` of NSS writes.
struct FirefoxProfile {
    let setting: BrowserSetting

    var arguments: [String] {
        let display =
            switch setting.display {
            case .fullScreen: ["--kiosk"]
            case .windowed: [String]()
            case .headless: ["--headless"]
            }
        return ["--no-remote", "--new-instance", "--profile", setting.profile.string] + display
    }

    /// Writes the profile: its preferences, and a database that trusts the authority.
    ///
    /// - Throws: `io`; `invalidArgument` if `certutil` is missing or fails.
    func write() throws(ArchiveError) {
        var text = ""
        for (name, value) in preferences.sorted(by: { $0.key < $1.key }) {
            text += "user_pref(\"\(name)\", \(value));\n"
        }
        try PrivateFile.write(
            text, to: setting.profile.appending("user.js"), permissions: .ownerReadWrite, replacing: true)
        let certificate = setting.profile.appending(TrustedAuthority.certificateName)
        try PrivateFile.write(
            setting.authority.certificate, to: certificate, permissions: .ownerReadWrite, replacing: true)
        let database = "sql:\(setting.profile)"
        try certutil("-N", "-d", database, "--empty-password")
        try certutil("-A", "-d", database, "-n", "webarc", "-t", "C,,", "-i", certificate.string)
    }

    /// The preferences, with values in the form of JavaScript.
    private var preferences: [String: String] {
        var preferences = [
            // One proxy for all, loopback included, and no name looked up beside it.
            "network.proxy.type": "1",
            "network.proxy.allow_hijacking_localhost": "true",
            "network.proxy.no_proxies_on": "\"\"",
            "network.proxy.failover_direct": "false",
            "network.trr.mode": "5",
            "network.dns.disablePrefetch": "true",
            "network.prefetch-next": "false",
            "network.predictor.enabled": "false",
            "network.http.speculative-parallel-limit": "0",
            "network.captive-portal-service.enabled": "false",
            "network.connectivity-service.enabled": "false",
            "network.http.http3.enable": "false",
            "media.peerconnection.enabled": "false",
            // An archive has the requested URL, and its certificates are in no log.
            "dom.security.https_first": "false",
            "dom.security.https_only_mode": "false",
            "security.OCSP.enabled": "0",
            "security.pki.crlite_mode": "0",
            "security.remote_settings.intermediates.enabled": "false",
        ]
        for scheme in ["http", "ssl"] {
            preferences["network.proxy.\(scheme)"] = "\"127.0.0.1\""
            preferences["network.proxy.\(scheme)_port"] = String(setting.port)
        }
        let isOff = [
            "app.normandy.enabled", "app.update.auto", "app.update.enabled", "app.shield.optoutstudies.enabled",
            "browser.aboutwelcome.enabled", "browser.newtabpage.enabled", "browser.region.update.enabled",
            "browser.safebrowsing.blockedURIs.enabled", "browser.safebrowsing.downloads.enabled",
            "browser.safebrowsing.malware.enabled", "browser.safebrowsing.phishing.enabled",
            "browser.search.suggest.enabled", "browser.search.update", "browser.sessionstore.resume_from_crash",
            "browser.shell.checkDefaultBrowser", "browser.translations.enable",
            "datareporting.healthreport.uploadEnabled",
            "datareporting.policy.dataSubmissionEnabled", "dom.push.enabled", "dom.webnotifications.enabled",
            "extensions.blocklist.enabled", "extensions.getAddons.cache.enabled",
            "extensions.systemAddon.update.enabled",
            "extensions.update.enabled", "geo.enabled", "identity.fxaccounts.enabled",
            "media.gmp-manager.updateEnabled",
            "messaging-system.rsexperimentloader.enabled", "print.enabled", "signon.rememberSignons",
            "toolkit.telemetry.enabled", "toolkit.telemetry.unified",
        ]
        for name in isOff { preferences[name] = "false" }
        preferences["browser.link.open_newwindow"] = "1"
        preferences["browser.startup.page"] = "0"
        preferences["browser.tabs.warnOnClose"] = "false"
        preferences["datareporting.policy.dataSubmissionPolicyBypassNotification"] = "true"
        preferences["devtools.policy.disabled"] = setting.display == .windowed ? "false" : "true"
        preferences["media.autoplay.default"] = "0"
        preferences["services.settings.server"] = "\"data:,\""
        preferences["trailhead.firstrun.didSeeAboutWelcome"] = "true"
        return preferences
    }

    private func certutil(_ arguments: String...) throws(ArchiveError) {
        let advice = "install certutil (on Debian: apt install libnss3-tools), or use Chromium"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["certutil"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw ArchiveError(.invalidArgument, "cannot install the certificate in Firefox; \(advice)", cause: error)
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ArchiveError(.invalidArgument, "cannot install the certificate in Firefox; \(advice)")
        }
    }
}
