// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc fetch`.
package struct FetchArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "fetch",
        abstract: "Load URLs and record them in an archive.",
        discussion: """
            Loads the URLs one by one, as an app with the protocol handler does, and records every response and redirect on the way. Links in \
            pages are not followed. Adds to an existing archive; the newest response wins.

            Prints a line for each URL: the status, the length, the type, and the redirect target. A response is stored \
            whatever its status, unless it has Cache-Control: no-store. If a URL cannot be loaded, webarc reports it and loads the others.

            If a body exceeds --max-size after content decoding, webarc stops the load, reports the URL, stores nothing of that \
            response, and exits with status 1.

            The archive also stores the URLs, header fields and bodies of the requests, but no Authorization and Cookie fields unless \
            --keep-credentials is given. Other fields that contain a key, and a body with a password, are stored as given. When a \
            redirect leads to another origin, webarc sends only fields that describe the request, such as Accept and User-Agent.

            EXAMPLES:
              webarc fetch https://example.org/ https://example.org/a.css -o site.webarc
              webarc fetch https://example.org/api -o api.webarc \\
                  --header 'Accept: application/json'
              webarc fetch https://example.org/search -o api.webarc --data 'q=swift'
              webarc fetch https://example.org/upload -o api.webarc \\
                  --method PUT --data @photo.jpg --header 'Content-Type: image/jpeg'

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .unavailable, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The URLs to load.")
    package var url: [String]

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The archive to create or to add to.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    package var output: String

    @OptionGroup(title: "REQUEST") package var request: RequestOptions
    @OptionGroup(title: "STORING") package var storing: StoringOptions
    @OptionGroup package var json: JSONOption
    @OptionGroup package var progress: ProgressOptions

    package init() {}

    package func validate() throws {
        for url in url { _ = try WebURLArgument(url) }
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
    }
}
