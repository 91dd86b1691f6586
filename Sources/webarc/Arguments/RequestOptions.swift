// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WebArchive
import WebArchivePacking

/// What is asked for, beside the URL.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X"), .long],
        help: ArgumentHelp("The request's method. (default: GET, and POST with --data)", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header field of the request. May be given several times.", valueName: "name: value"))
    var header: [HeaderArgument] = []

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp(
            "The request's body: a text, @ and the name of a file, or @- for standard input. Without a Content-Type field it is sent as a form.",
            valueName: "text|@file"))
    var data: String?

    @Option(
        name: [.customShort("A"), .long],
        help: ArgumentHelp("What the User-Agent field says.", valueName: "text"))
    var userAgent = "webarc/\(Webarc.configuration.version)"

    @Option(help: ArgumentHelp("How long a server may say nothing: 500ms, 30s, 5m.", valueName: "time"))
    var timeout = DurationArgument.minute

    func validate() throws {
        guard FieldText.isToken(effectiveMethod.utf8), effectiveMethod != "CONNECT" else {
            throw ValidationError("'\(effectiveMethod)' is no method that can be sent")
        }
        if data != nil, ["GET", "HEAD"].contains(effectiveMethod) {
            throw ValidationError("a \(effectiveMethod) request has no body; leave out --method for a POST")
        }
        guard FieldText.isValue(userAgent.utf8) else {
            throw ValidationError("--user-agent takes a text without line breaks")
        }
        guard timeout.duration > .zero else { throw ValidationError("--timeout takes a time above 0") }
    }

    private var effectiveMethod: String { method ?? (data == nil ? "GET" : "POST") }

    /// Reads the body, which may be in a file.
    func read() throws(ArchiveError) -> RequestTemplate {
        var fields = HeaderFields(header.map(\.field))
        if fields["User-Agent"] == nil { fields.append(name: "User-Agent", value: userAgent) }
        let body = try readBody()
        if body != nil, fields["Content-Type"] == nil {
            fields.append(name: "Content-Type", value: "application/x-www-form-urlencoded")
        }
        return RequestTemplate(method: effectiveMethod, fields: fields, body: body, timeout: timeout.duration)
    }

    private func readBody() throws(ArchiveError) -> Data? {
        guard let data else { return nil }
        guard data.hasPrefix("@") else { return Data(data.utf8) }
        let name = String(data.dropFirst())
        do {
            if name == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(fileURLWithPath: name), options: .mappedIfSafe)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
            throw ArchiveError(
                .io, "cannot read the body of the request", path: name == "-" ? "standard input" : name,
                cause: cause ?? error)
        }
    }
}

/// A request without its URL.
struct RequestTemplate: Sendable {
    let method: String
    let fields: HeaderFields
    let body: Data?
    /// How long a server may say nothing.
    let timeout: Duration
}
