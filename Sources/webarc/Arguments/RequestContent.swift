// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive
import WebarcCommandLine

/// The options that give the content of a request, as those of curl do.
struct RequestContent: ParsableArguments {
    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp(
            "The request body: a text, or @ and a file, @- for standard input. The method is POST if --method is not given.",
            valueName: "text"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The media type of --data. (default: that of --header, or application/x-www-form-urlencoded)",
            valueName: "type"))
    var contentType: String?

    @Option(help: ArgumentHelp("The MD5 of the request body, 32 hexadecimal digits.", valueName: "digest"))
    var bodyDigest: DigestArgument?

    /// The maximum length of content, in bytes: that of servers.
    private static let maximumLength = 8 << 20

    func validate() throws {
        if data != nil, bodyDigest != nil {
            throw ValidationError("--data and --body-digest are alternatives: the digest of --data is computed")
        }
        guard let contentType else { return }
        if data == nil { throw ValidationError("--content-type is the type of --data, which is missing") }
        guard FieldText.isValue(contentType.utf8) else {
            throw ValidationError("--content-type takes a media type such as application/json, not '\(contentType)'")
        }
    }

    /// Adds the content to a request, and its type to the fields.
    func add(to request: inout MatchRequest) throws(ArchiveError) {
        request.bodyDigest = bodyDigest?.digest
        guard let data else { return }
        let content =
            try data.hasPrefix("@")
            ? LimitedFile.bytes(
                of: String(data.dropFirst()), "content of the request", maximumLength: Self.maximumLength)
            : Array(data.utf8)
        request.content = content
        // A request without content has no digest.
        request.bodyDigest = content.isEmpty ? nil : ContentDigest(hashing: content)
        if let contentType {
            request.headers.set(name: "Content-Type", value: contentType)
        } else if request.headers["Content-Type"] == nil {
            request.headers.set(name: "Content-Type", value: "application/x-www-form-urlencoded")
        }
    }
}
