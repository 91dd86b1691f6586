// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A URL that can be loaded over HTTP.
package struct WebURLArgument {
    /// The given URL without its fragment, which is never sent.
    package let text: String
    package let url: URL

    package init(_ argument: String) throws {
        let canonical: CanonicalURL
        do {
            canonical = try CanonicalURL(argument)
        } catch {
            throw ValidationError("url takes an absolute URL, not '\(argument)': \(error)")
        }
        guard ["http", "https"].contains(String(decoding: canonical.scheme, as: UTF8.self)) else {
            throw ValidationError(
                "the URL '\(argument)' has no web scheme; give one that begins with http:// or https://")
        }
        guard canonical.userinfo == nil else {
            throw ValidationError(
                "url takes a URL without a user name and password, which would be stored; use --header 'Authorization: Basic …'"
            )
        }
        let text = String(argument.prefix { $0 != "#" })
        // Foundation refuses some URLs that browsers accept as typed, and reads others in its own way.
        let isUnderstood = URL(string: text).flatMap { try? CanonicalURL($0.absoluteString) } == canonical
        guard let url = URL(string: isUnderstood ? text : canonical.description) else {
            throw ValidationError("url takes a URL that can be loaded, not '\(argument)'")
        }
        self.text = text
        self.url = url
    }
}
