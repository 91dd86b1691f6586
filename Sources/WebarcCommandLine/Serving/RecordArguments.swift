// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc record`.
package struct RecordArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "record",
        abstract: "Record what a browser, an app or a test suite loads, as its proxy.",
        discussion: """
            Clients that use this proxy load from the network as before, and every request and response goes into the archive. An existing archive \
            is added to; the newest response wins. Exchanges are committed every few seconds. SIGINT or SIGTERM ends the recording after the \
            current responses, with a last commit; a second signal ends at once.

            Bodies reach the client as the server sent them. The archive has them without their content codings; with --exact also as they were \
            received. A response that a client aborts is loaded to its end. If a client requests a range, the whole is loaded once in the background. A \
            body that ends early or exceeds --max-size is stored as far as it came, and marked as truncated.

            For https, clients must trust a certificate authority of this device whose certificate is written to the folder of --authority, and is \
            valid for 30 days. It has no name constraints, so it can certify every host: whoever has its key can read what these clients load. So it is apart from the \
            authority of `webarc ca`, and should be trusted in a test profile only, and removed after the recording.

            Authorization, Cookie and Set-Cookie fields are not stored unless --keep-credentials is given. Bodies of requests, such as forms with \
            passwords, are. Targets with private, loopback or link-local addresses are refused unless --allow-private is given.

            EXAMPLES:
              webarc record -o site.webarc
              chromium --user-data-dir=/tmp/profile --proxy-server=127.0.0.1:8080 \\
                  --ignore-certificate-errors-spki-list=PIN https://example.org/
              curl --proxy http://127.0.0.1:8080 --cacert CERTIFICATE https://example.org/

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .ioError, .busy, .interrupted]))
            """)

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The archive to create or to add to.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    package var output: String

    @Option(help: ArgumentHelp("The address on which to listen.", valueName: "address"))
    package var host = "127.0.0.1"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port on which to listen; 0 for any free port.", valueName: "number"))
    package var port = 8080

    @Option(
        help: ArgumentHelp(
            "The folder of the authority for recording, which is made if it is missing. (default: recording in webarc's folder of the user's state directory)",
            valueName: "folder"),
        completion: .directory)
    package var authority: String?

    @OptionGroup package var servers: ServerTrustOption

    @Flag(help: "Forward to private, loopback and link-local addresses too.")
    package var allowPrivate = false

    @Flag(
        help:
            "Store Authorization, Cookie and Set-Cookie fields too. Anyone with the archive can then act as you."
    )
    package var keepCredentials = false

    @Flag(help: "Keep content as it was received too, with its codings and chunks.")
    package var exact = false

    @Option(help: ArgumentHelp("The maximum length of a body: 64K, 100M, 2G.", valueName: "size"))
    package var maxSize = SizeArgument(bytes: 4 << 30)

    @Option(
        help: ArgumentHelp(
            "The length of the archive beyond which nothing more is recorded: 500M, 20G. (default: none)",
            valueName: "size"))
    package var maxArchive: SizeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum number of open connections of clients.", valueName: "number"))
    package var maxConnections = 1_000

    @OptionGroup package var threads: ThreadsOption
    @OptionGroup package var json: JSONOption

    package func validate() throws {
        try ReplayOptions.check(port: port)
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
        guard maxConnections > 0 else {
            throw ValidationError("--max-connections takes at least 1, not '\(maxConnections)'")
        }
    }

    package init() {}
}
