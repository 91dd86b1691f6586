// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The policies that a kiosk's Chromium obeys, regardless of the actions of a page or a visitor.
///
/// Chromium reads policies from one folder of the machine. Only the kiosk's browser sees these there, beside those of the
/// administrator: `BrowserStart` lays ``folders`` over `/etc`.
package struct ChromiumPolicy {
    /// Whether visitors may print, on printers of this machine.
    var allowsPrinting = false
    /// Whether the developer tools open, for trials.
    var allowsDeveloperTools = false

    /// The folders of Chromium and its derivatives, in `/etc`.
    private static let folders = [
        "chromium", "chromium-browser", "opt/chrome", "opt/chrome_for_testing", "opt/edge", "brave", "opt/vivaldi",
    ]
    /// The name of the file: of several files with a policy the last in the alphabet wins.
    private static let file = "zzz-webarc-kiosk.json"

    /// A host that no archive has, refused so that the browser shows whether it obeys the policies.
    package static let refusedHost = "policy.invalid"

    /// Writes the policies as files of `/etc`.
    ///
    /// - Throws: `io`.
    func write(to etc: FilePath) throws(ArchiveError) {
        for folder in Self.folders {
            let path = etc.appending("\(folder)/policies/managed")
            try PrivateFile.makeFolder(path)
            try value.write(to: path.appending(Self.file))
        }
    }

    /// The addresses that a page may have. The viewer of PDF documents is an extension that Chromium includes.
    private var addresses: [String] {
        var addresses = [
            "http://*", "https://*", "about:blank", "about:srcdoc", "blob:*", "data:*",
            "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai",
        ]
        if allowsPrinting { addresses += ["chrome://print", "chrome-untrusted://print"] }
        if allowsDeveloperTools { addresses.append("devtools://*") }
        return addresses
    }

    private var value: JSONValue {
        var members: [String: JSONValue] = [
            "URLBlocklist": ["*", "chrome://*", .string(Self.refusedHost)],
            "URLAllowlist": .array(addresses.map { .string($0) }),
            "PrintingEnabled": .bool(allowsPrinting),
            // Printers of the network, of extensions and files are off: only the spooler of this machine remains.
            "PrinterTypeDenyList": ["privet", "extension", "pdf", "cloud"],
        ]
        for name in Self.off { members[name] = false }
        for (name, number) in Self.numbers { members[name] = .number(number) }
        members["ExtensionInstallBlocklist"] = ["*"]
        members["DnsOverHttpsMode"] = "off"
        // No dialog that requests a name and a password: an archive has nothing to check them with.
        members["AuthSchemes"] = ""
        return .object(sorting: members)
    }

    private static let off = [
        "AllowFileSelectionDialogs", "AlternateErrorPagesEnabled", "AudioCaptureAllowed",
        "AutofillAddressEnabled", "AutofillCreditCardEnabled", "BackgroundModeEnabled", "BookmarkBarEnabled",
        "BrowserAddPersonEnabled", "BrowserGuestModeEnabled", "BrowserNetworkTimeQueriesEnabled",
        "ComponentUpdatesEnabled", "DefaultSearchProviderEnabled", "DesktopSharingHubEnabled", "EditBookmarksEnabled",
        "EnableMediaRouter",
        "ExternalProtocolDialogShowAlwaysOpenCheckbox", "HttpsUpgradesEnabled", "LensRegionSearchEnabled",
        "MetricsReportingEnabled", "PasswordManagerEnabled", "PaymentMethodQueryEnabled", "PromotionsEnabled",
        "QuicAllowed", "ScreenCaptureAllowed", "SearchSuggestEnabled", "ShowHomeButton",
        "SpellCheckServiceEnabled", "TaskManagerEndProcessEnabled", "TranslateEnabled",
        "UrlKeyedAnonymizedDataCollectionEnabled",
        "UserFeedbackAllowed", "VideoCaptureAllowed", "WebAppInstallByUserEnabled",
    ]

    private static let numbers = [
        // No sign-in; no incognito windows; no downloads; no prefetching.
        "BrowserSignin": 0, "IncognitoModeAvailability": 1, "DownloadRestrictions": 3, "NetworkPredictionOptions": 2,
        "SafeBrowsingProtectionLevel": 0,
        // No language model; the one policy for all of these is obeyed from Google's cloud only.
        "AIModeSettings": 1, "GeminiSettings": 1, "GenAILocalFoundationalModelSettings": 1, "HelpMeWriteSettings": 2,
        "HistorySearchSettings": 2, "LensOverlaySettings": 1, "TabCompareSettings": 2,
        // Permissions that a page might request from a visitor are refused without a prompt.
        "DefaultClipboardSetting": 2, "DefaultFileSystemReadGuardSetting": 2, "DefaultFileSystemWriteGuardSetting": 2,
        "DefaultGeolocationSetting": 2, "DefaultLocalFontsSetting": 2, "DefaultNotificationsSetting": 2,
        "DefaultPopupsSetting": 2, "DefaultSerialGuardSetting": 2, "DefaultWebBluetoothGuardSetting": 2,
        "DefaultWebHidGuardSetting": 2, "DefaultWebUsbGuardSetting": 2, "DefaultWindowManagementSetting": 2,
    ]
}
