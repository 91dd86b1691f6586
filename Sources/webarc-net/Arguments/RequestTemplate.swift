// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive
import WebarcCommandLine

extension RequestOptions {
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
                .io, "cannot read the request body", path: name == "-" ? "standard input" : name,
                cause: cause ?? error)
        }
    }
}

/// A request without its URL.
struct RequestTemplate: Sendable {
    let method: String
    let fields: HeaderFields
    let body: Data?
    /// The maximum time of silence of a server.
    let timeout: Duration
}
