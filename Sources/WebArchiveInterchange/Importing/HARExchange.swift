// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The request and the response of an entry of a HAR file, in stored form.
///
/// HAR has content as a browser gives it to a page: without codings, and text as Unicode. So codings that the fields claim are removed ones, and a
/// text that is not ASCII has a charset of UTF-8, even against the fields; the head as it was received is kept beside it then.
struct HARExchange {
    let exchange: ImportedExchange
    /// Whether the response has a body that the file lacks.
    let lacksBody: Bool

    /// Reads an entry.
    ///
    /// - Parameter charge: a function that is called with the number of bytes to which content decodes.
    /// - Returns: nil for a URL that needs no server, such as one of `data:`.
    /// - Throws: `damaged` for an entry without what makes an exchange; `io`.
    init?(_ entry: HAREntry, charge: (Int) throws(ArchiveError) -> Void) throws(ArchiveError) {
        guard let url = entry.request["url"]?.text, !url.isEmpty else { throw .damaged("an entry without a URL") }
        guard !Self.isLocal(url) else { return nil }
        guard (try? CanonicalURL(url)) != nil else { throw .damaged("an entry whose URL is none") }
        let method = entry.request["method"]?.text ?? ""
        guard method.utf8.count <= 64, method.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .damaged("an entry with an invalid method")
        }
        var request = ArchiveRequest(
            method: method.isEmpty ? "GET" : method, url: url, headers: try HARMessages.fields(entry.request))
        request.version = HARMessages.version(entry.request)
        let time = HARMessages.time(entry.members["startedDateTime"])
        guard let status = (entry.response["status"] ?? .integer(0)).wholeNumber, status <= 999,
            status <= 0 || status >= 100
        else { throw .damaged("an entry with an invalid status") }
        var exchange = ImportedExchange(request: request, requestBody: try Self.requestBody(entry), time: time)
        if status <= 0 {
            exchange.failure = Self.failure(entry.response)
            (self.exchange, lacksBody) = (exchange, false)
            return
        }
        let message = try HARResponse(
            entry, method: request.method, url: url, status: status, charge: charge)
        (exchange.response, exchange.body) = (message.response, message.body)
        exchange.originalHead = message.originalHead
        (self.exchange, lacksBody) = (exchange, message.response.absentDigest != nil)
    }

    /// Returns whether a URL is resolved without a request.
    private static func isLocal(_ url: String) -> Bool {
        let scheme = String(url.prefix(16).prefix { $0 != ":" }).asciiLowercased
        return ["data", "blob", "about", "javascript", "filesystem"].contains(scheme)
    }

    /// Returns the reason why there was no response.
    private static func failure(_ response: JSONValue) -> String {
        for name in ["_error", "statusText"] {
            if let text = response[name]?.text, !text.isEmpty { return text }
        }
        return "no response"
    }

    private static func requestBody(_ entry: HAREntry) throws(ArchiveError) -> SpooledBody? {
        guard let data = entry.request["postData"] else { return nil }
        if let content = entry.requestContent, content.text.length > 0 {
            return try HARMessages.bytes(content, encoding: data["encoding"] ?? data["_encoding"])
        }
        return try HARMessages.form(data).mapTyped(SpooledBody.init)
    }
}
