// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// An entry as JSON, with the members of the reference reader's `list --json`.
package struct EntryDescription {
    package let json: JSONValue

    package init(_ entry: ArchiveEntry) throws(ArchiveError) {
        let (request, response) = (try entry.request, try entry.response)
        let common: JSONValue = [
            "url": .string(request.url), "key": .string(try entry.key), "method": .string(request.method),
            "role": .number(try entry.role.rawValue),
            "kind": .text(response.map { $0.isRedirect ? "redirect" : "response" }),
            "status": .number(response?.status),
            "reason": .text(response.flatMap { $0.reason.isEmpty ? nil : $0.reason }),
            "headers": Self.fields(response?.headers ?? []), "mediaType": .text(response?.mediaType),
            "charset": .text(response?.charset), "target": .text(response?.redirectTarget),
            "modified": .number(response?.modified?.nanoseconds ?? 0),
            "time": .number(try entry.time?.nanoseconds ?? 0),
            "codings": .text(response.flatMap { $0.codings.isEmpty ? nil : $0.codings.joined(separator: ", ") }),
            "address": .text(response?.address), "body": Self.body(try entry.body),
            "requestHeaders": Self.fields(request.headers), "requestBody": Self.body(try entry.requestBody),
        ]
        guard case .object(var members) = common else {
            json = common
            return
        }
        // Few archives have these: specification section 7, keys of version 1.1.
        let texts = [
            ("version", response?.version), ("truncated", response?.truncation), ("absent", response?.absentDigest),
            ("failure", try entry.failure), ("requestVersion", request.version),
        ]
        for case (let name, let text?) in texts { members.append(.init(name: name, value: .string(text))) }
        if response?.isDerived == true { members.append(.init(name: "derived", value: .number(1))) }
        let bodies = [
            ("head", try entry.responseHead), ("wire", try entry.responseWire), ("requestHead", try entry.requestHead),
            ("requestWire", try entry.requestWire),
        ]
        for case (let name, let body?) in bodies { members.append(.init(name: name, value: Self.body(body))) }
        json = .object(members)
    }

    /// Converts fields to JSON. Names and values are bytes; reading them as Latin-1 loses none.
    package static func fields(_ fields: HeaderFields) -> JSONValue {
        .array(fields.map { .array([.string(latin1($0.nameBytes)), .string(latin1($0.valueBytes))]) })
    }

    package static func latin1(_ bytes: [UInt8]) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            if byte < 0x80 {
                text.append(byte)
            } else {
                text.append(0xC0 | byte >> 6)
                text.append(0x80 | byte & 0x3F)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func body(_ body: ArchiveBody?) -> JSONValue {
        guard let body else { return .null }
        return ["digest": .string(body.digest.description), "length": .number(body.length)]
    }
}
