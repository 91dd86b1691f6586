// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive
import WebarcCommandLine

/// The beginning of canonical URLs, as a person types it.
struct URLPrefix: FormedArgument {
    static let form = "give the beginning of an absolute URL, such as https://example.org/docs/"

    let text: String

    /// Nil for what cannot be the beginning of a URL.
    init?(argument: String) {
        guard let url = try? CanonicalURL(argument) else { return nil }
        var text = url.description
        // `https://exam` may go on as `https://example.org/`; the canonical form has ended the host with a slash.
        if text.hasSuffix("/"), !argument.hasSuffix("/") { text.removeLast() }
        self.text = text
    }
}

struct PrefixOption: ParsableArguments {
    @Option(
        name: .customLong("url"),
        help: ArgumentHelp(
            "Take only entries whose URL starts with this, such as https://example.org/docs/.", valueName: "prefix"))
    var prefix: URLPrefix?

    var text: String { prefix?.text ?? "" }
}
