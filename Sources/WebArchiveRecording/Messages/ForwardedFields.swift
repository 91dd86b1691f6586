// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The fields that a proxy forwards: those of the connection stay behind (RFC 9110 section 7.6.1).
enum ForwardedFields {
    /// The fields by which a client that holds a response gets no body: an archive would not get it either.
    private static let conditions: Set<String> = ["if-none-match", "if-modified-since"]
    /// The field that lets a server compress against an earlier response (RFC 9842 section 2.2), which an archive could not decode.
    private static let dictionary = "available-dictionary"

    /// Returns the fields of a request as they are sent to the origin server, in their order.
    ///
    /// - Parameters:
    ///   - authority: the value of `Host`, which stays in its place, or becomes the first.
    ///   - keepsConditions: whether conditions stay, because the archive holds the body.
    ///   - isWebSocket: whether the request opens a WebSocket: without extensions, so that its messages can be read.
    static func ofRequest(
        _ fields: HeaderFields, authority: String, keepsConditions: Bool = false, isWebSocket: Bool = false
    ) -> HeaderFields {
        let dropped = ConnectionFields.names(of: fields).subtracting(["trailer", "host"])
        var kept: [HeaderField] = []
        kept.reserveCapacity(fields.count + 1)
        var hasHost = false
        for field in fields {
            let name = field.name.asciiLowercased
            if name == "host" {
                if !hasHost { kept.append(HeaderField(nameBytes: field.nameBytes, valueBytes: Array(authority.utf8))) }
                hasHost = true
            } else if !dropped.contains(name), name != dictionary, keepsConditions || !conditions.contains(name),
                !isWebSocket || name != "sec-websocket-extensions"
            {
                kept.append(field)
            }
        }
        if !hasHost { kept.insert(HeaderField(name: "Host", value: authority), at: 0) }
        if isWebSocket { kept += webSocket }
        return HeaderFields(kept)
    }

    /// The fields of a connection that becomes a WebSocket (RFC 6455 section 4.1).
    static let webSocket = [
        HeaderField(name: "Connection", value: "Upgrade"), HeaderField(name: "Upgrade", value: "websocket"),
    ]

    /// Returns whether a request opens a WebSocket.
    static func openWebSocket(_ method: String, _ fields: HeaderFields) -> Bool {
        let options = ConnectionFields.names(of: fields)
        return method == "GET" && options.contains("upgrade") && fields["Connection"] != nil
            && fields["Upgrade"]?.asciiLowercased == "websocket"
    }

    /// Returns the fields of a response as they are sent to the client, in their order, without those that a client could misread.
    static func ofResponse(_ fields: HeaderFields) -> HeaderFields {
        let dropped = ConnectionFields.names(of: fields).subtracting(["trailer", "content-length", "set-cookie"])
        return HeaderFields(
            fields.compactMap { field in
                guard FieldText.isToken(field.nameBytes), !dropped.contains(field.name.asciiLowercased) else {
                    return nil
                }
                // A line that continues a value becomes one line (RFC 9112 section 5.2).
                let isPlain = !field.valueBytes.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
                return isPlain
                    ? field
                    : HeaderField(
                        nameBytes: field.nameBytes,
                        valueBytes: field.valueBytes.map { $0 == 0x0D || $0 == 0x0A || $0 == 0 ? 0x20 : $0 })
            })
    }
}
