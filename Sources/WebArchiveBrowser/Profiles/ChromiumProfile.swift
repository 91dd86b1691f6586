// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The options and preferences of Chromium: one proxy, one trusted key, and no prompts or fetches of its own.
struct ChromiumProfile {
    let setting: BrowserSetting

    /// The features that would contact servers of Chromium's maker; and the attempt at https:// first, since an archive has the requested URL.
    private static let disabledFeatures = [
        "AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DialMediaRouteProvider",
        "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "InterestFeedContentSuggestions", "MediaRouter",
        "NetworkTimeServiceQuerying", "OptimizationGuideModelDownloading", "OptimizationHints",
        "OptimizationTargetPrediction", "PrivacySandboxSettings4", "Translate",
        // Packets to the network's multicast address, by any page with WebRTC.
        "WebRtcHideLocalIpsWithMdns",
        // A sheet with a page of its own, which the kiosk cannot observe.
        "WebPayments",
    ]

    /// The features that open windows and dialogs of the browser beside the only page.
    private static let disabledBlinkFeatures = [
        "BackgroundFetch", "DocumentPictureInPictureAPI", "EyeDropperAPI", "FedCm", "WebAppInstallation", "WebAuth",
        "WebIdentityDigitalCredentials",
    ]

    /// All options but the page.
    var arguments: [String] {
        get throws(ArchiveError) {
            var arguments = [
                "--user-data-dir=\(setting.profile)", "--remote-debugging-pipe",
                "--proxy-server=\(setting.proxy)",
                // Loopback addresses too go to the proxy.
                "--proxy-bypass-list=<-loopback>",
                // Names of the local network first, which would be resolved there, even if they are mapped elsewhere.
                "--host-resolver-rules=MAP *.local 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--ignore-certificate-errors-spki-list=\(setting.authority.publicKeyPin)",
                "--disable-quic", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
                "--no-first-run", "--no-default-browser-check", "--no-pings", "--no-service-autorun",
                "--disable-background-networking", "--disable-breakpad", "--disable-client-side-phishing-detection",
                "--disable-component-extensions-with-background-pages", "--disable-component-update",
                "--disable-default-apps", "--disable-domain-reliability", "--disable-extensions",
                "--disable-field-trial-config", "--disable-search-engine-choice-screen", "--disable-sync",
                "--metrics-recording-only", "--password-store=basic", "--use-mock-keychain",
                "--disable-features=\((Self.disabledFeatures + setting.disabledFeatures).joined(separator: ","))",
                "--disable-blink-features=\(Self.disabledBlinkFeatures.joined(separator: ","))",
                // A window above the page, by the controls of a video as well.
                "--blink-settings=pictureInPictureEnabled=false",
                "--autoplay-policy=no-user-gesture-required", "--deny-permission-prompts",
                "--disable-session-crashed-bubble", "--hide-crash-restore-bubble", "--noerrdialogs",
                "--disable-hang-monitor", "--disable-prompt-on-repost",
                // Without it a bar warns of these very options.
                "--test-type",
            ]
            switch setting.display {
            case .fullScreen:
                arguments += [
                    "--kiosk", "--window-position=0,0", "--disable-pinch", "--overscroll-history-navigation=0",
                    // No command except those for a page, such as going back and copying, from the first key on: in this mode Chromium itself
                    // ignores the others, before any page exists to keep keys from it.
                    "--force-app-mode", "--app-id=",
                ]
            case .windowed: break
            case .headless: arguments += ["--headless", "--window-size=1280,800", "--hide-scrollbars"]
            }
            // The viewer of documents prints without regard to the policy: it has a sheet, in which the policy blocks no more than the contents.
            // The system's dialog obeys it, and does not open.
            if !setting.allowsPrinting { arguments.append("--disable-print-preview") }
            if setting.isSuperuser { arguments.append("--no-sandbox") }
            return arguments
        }
    }

    /// Writes the preferences that have no option.
    ///
    /// - Throws: `io`.
    func write() throws(ArchiveError) {
        try PrivateFile.makeFolder(setting.profile.appending("Default"))
        try preferences.write(to: setting.profile.appending("Default/Preferences"))
        try Self.localState.write(to: setting.profile.appending("Local State"))
    }

    private var preferences: JSONValue {
        [
            "autofill": ["credit_card_enabled": false, "profile_enabled": false],
            "bookmark_bar": ["show_on_all_tabs": false],
            "browser": ["show_home_button": false],
            "credentials_enable_service": false,
            "download": ["prompt_for_download": false],
            // 3: no download at all.
            "download_restrictions": 3,
            "net": ["network_prediction_options": 2],
            "printing": ["enabled": .bool(setting.allowsPrinting)],
            "profile": ["password_manager_enabled": false],
            "safebrowsing": ["enabled": false],
            "search": ["suggest_enabled": false],
            // Its key toggles it at once, without a dialog that keeps the keys.
            "settings": ["a11y": ["caretbrowsing": ["show_dialog": false]]],
            "signin": ["allowed": false, "allowed_on_next_startup": false],
            "translate": ["enabled": false],
        ]
    }

    private static let localState: JSONValue = [
        "dns_over_https": ["mode": "off"],
        "select_file_dialogs": ["allowed": false],
        "background_mode": ["enabled": false],
    ]
}
