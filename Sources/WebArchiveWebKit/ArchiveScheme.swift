// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WebArchive

/// The schemes by which a web view loads URLs from archives: those of HTTP with the prefix `webarc-`.
///
/// WebKit keeps `http` and `https` for itself. The page `https://site.example/a` is therefore shown as `webarc-https://site.example/a`, and
/// a relative link in it leads to the same scheme and host.
public enum ArchiveScheme {
    /// The schemes `webarc-http` and `webarc-https`.
    public static let names = schemes.map { prefix + $0 }

    private static let prefix = "webarc-"
    private static let schemes = ["http", "https"]

    /// Returns the URL by which a web view shows a URL of an archive; nil if that is neither `http` nor `https`.
    ///
    /// ```swift
    /// let page = URL(string: "https://site.example/a?b#c")
    /// let shown = page.flatMap(ArchiveScheme.viewURL(of:))  // webarc-https://site.example/a?b#c
    /// ```
    ///
    /// - Parameter url: an absolute URL. Whether an archive has it is not looked up. The case of its scheme does not count (RFC 3986 section 3.1).
    public static func viewURL(of url: URL) -> URL? {
        guard let scheme = url.scheme, schemes.contains(scheme.asciiLowercased) else { return nil }
        return URL(string: prefix + url.absoluteString)
    }

    /// Returns the URL of an archive that a web view shows under a URL; nil if its scheme is not one of ``names``. The inverse of
    /// ``viewURL(of:)``: show this URL to people.
    ///
    /// - Parameter url: the URL, such as that of the view.
    public static func originalURL(of url: URL) -> URL? {
        guard let scheme = url.scheme, names.contains(scheme.asciiLowercased) else { return nil }
        return URL(string: String(url.absoluteString.dropFirst(prefix.count)))
    }
}
