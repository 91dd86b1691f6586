// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import WebArchive

/// The options of a request, in addition to its URL.
package struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X"), .long],
        help: ArgumentHelp("The request method. (default: GET, or POST with --data)", valueName: "method"))
    package var method: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A request header field. May be given several times.", valueName: "name: value"))
    package var header: [HeaderArgument] = []

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp(
            """
            The request body: a text, @ and a file name, or @- for standard input. Without a Content-Type field, webarc sends it as a form. The \
            recorded request contains its body.
            """,
            valueName: "text|@file"))
    package var data: String?

    @Option(
        name: [.customShort("A"), .long],
        help: ArgumentHelp("The value of the User-Agent field.", valueName: "text"))
    package var userAgent = "webarc/\(WebarcVersion.text)"

    @Option(help: ArgumentHelp("The maximum wait for data from a server: 500ms, 30s, 5m.", valueName: "time"))
    package var timeout = DurationArgument.minute

    package init() {}

    package func validate() throws {
        guard FieldText.isToken(effectiveMethod.utf8), effectiveMethod != "CONNECT" else {
            throw ValidationError("--method takes a method that can be sent, not '\(effectiveMethod)'")
        }
        if data != nil, ["GET", "HEAD"].contains(effectiveMethod) {
            throw ValidationError(
                "--method \(effectiveMethod) excludes --data, since such a request has no body; omit --method for a POST"
            )
        }
        guard FieldText.isValue(userAgent.utf8) else {
            throw ValidationError("--user-agent takes a text without line breaks, not '\(userAgent)'")
        }
        guard timeout.duration > .zero else { throw ValidationError("--timeout takes a time above 0, not '0'") }
    }

    /// The method: GET, or POST with a body, unless one was given.
    package var effectiveMethod: String { method ?? (data == nil ? "GET" : "POST") }
}
