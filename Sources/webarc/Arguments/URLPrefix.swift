// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive
import WebarcCommandLine

/// A prefix of canonical URLs in the form that a person types.
struct URLPrefix: FormedArgument {
    static let form = "the start of a URL such as https://example.org/docs/, or a path such as /docs/"

    private let argument: String
    private let url: ArchivedURL

    /// Reads a prefix; nil for a text that cannot be the beginning of a URL.
    init?(argument: String) {
        guard let url = try? ArchivedURL(argument) else { return nil }
        (self.argument, self.url) = (argument, url)
    }

    func text(in archive: ArchiveReader) throws(ArchiveError) -> String {
        var text = try url.url(in: archive).description
        // `https://exam` may continue as `https://example.org/`; the canonical form has ended the host with a slash.
        if text.hasSuffix("/"), !argument.hasSuffix("/") { text.removeLast() }
        return text
    }
}

struct PrefixOption: ParsableArguments {
    @Option(
        name: .customLong("url"),
        help: ArgumentHelp(
            "Select entries whose URL starts with this prefix, such as https://example.org/docs/, or /docs/ on the main page's host.",
            valueName: "prefix"))
    var prefix: URLPrefix?

    func text(in archive: ArchiveReader) throws(ArchiveError) -> String { try prefix?.text(in: archive) ?? "" }
}
