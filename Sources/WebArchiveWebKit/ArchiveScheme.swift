// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WebArchive

/// The schemes under which a web view loads URLs from archives: those of HTTP with `webarc-` before them.
///
/// WebKit keeps `http` and `https` for itself. The page `https://site.example/a` is therefore shown as `webarc-https://site.example/a`, and
/// a relative link in it leads to the same scheme and host.
public enum ArchiveScheme {
    /// `webarc-http` and `webarc-https`.
    public static let names = schemes.map { prefix + $0 }

    private static let prefix = "webarc-"
    private static let schemes = ["http", "https"]

    /// The URL under which a web view shows a URL of an archive; nil if that is neither `http` nor `https`.
    public static func viewURL(of url: URL) -> URL? {
        guard let scheme = url.scheme, schemes.contains(scheme.asciiLowercased) else { return nil }
        return URL(string: prefix + url.absoluteString)
    }

    /// The URL of an archive that a web view shows under a URL; nil if the scheme of that is not one of ``names``.
    public static func originalURL(of url: URL) -> URL? {
        guard let scheme = url.scheme, names.contains(scheme.asciiLowercased) else { return nil }
        return URL(string: String(url.absoluteString.dropFirst(prefix.count)))
    }
}
