// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc get`.
package struct GetArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "get",
        abstract: "Load a URL through an archive under a caching policy, as an app does.",
        discussion: """
            Writes the body to standard output, and the source of each response on the way to standard error. Follows redirects. The archive is \
            not changed, unless --record is given. webarc stops if the body exceeds --max-size after content decoding. It writes the body only when it is complete.

            POLICIES:
              archive-only            stored response only, however old
              archive-first           stored response; without one, the network
              network-first           network; if it fails, the stored response
              stale-while-revalidate  fresh: stored; stale: stored, then refreshed;
                                      expired: network
              http                    an RFC 9111 private cache
              network-only            network only

            EXAMPLES:
              webarc get https://example.org/ site.webarc --offline
              webarc get https://example.org/ site.webarc --policy http --record --head
              webarc get https://example.org/news site.webarc \\
                  --policy stale-while-revalidate --fresh-for 15m --expires-after 2d
              webarc get https://example.org/logo.png site.webarc -o logo.png

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .unavailable, .cannotCreate, .ioError, .busy]))
            """)

    @Argument(help: "The URL to load.")
    package var url: String

    @OptionGroup package var archive: ArchiveArgument
    @OptionGroup(title: "POLICY") package var policy: PolicyOptions

    @Flag(name: [.customShort("I"), .long], help: "Print the status and the header fields instead of the body.")
    package var head = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the body to this file instead of standard output.", valueName: "file"),
        completion: .file())
    package var output: String?

    @Flag(name: [.short, .long], help: "Print only errors, not the source of the response.")
    package var quiet = false

    @OptionGroup(title: "REQUEST") package var request: RequestOptions

    @Flag(help: "Record the loaded responses in the archive; create the archive if it does not exist.")
    package var record = false

    @OptionGroup(title: "STORING") package var storing: StoringOptions

    package init() {}

    package func validate() throws {
        _ = try WebURLArgument(url)
        if storing.isUsed, !record {
            throw ValidationError("--keep-credentials and --ignore-no-store need --record")
        }
        if head, output != nil { throw ValidationError("--head excludes --output") }
        if output?.isEmpty == true { throw ValidationError("--output takes a file name, not ''") }
    }
}
