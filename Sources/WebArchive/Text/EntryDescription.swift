// SPDX-License-Identifier: Apache-2.0

/// An entry as JSON: member for member what the reference reader's `list --json` prints.
package struct EntryDescription {
    package let json: JSONValue

    package init(_ entry: ArchiveEntry) throws(ArchiveError) {
        let (request, answer) = (try entry.request, try entry.answer)
        json = [
            "url": .string(request.url), "key": .string(try entry.key), "method": .string(request.method),
            "role": .number(try entry.role.rawValue),
            "kind": .text(answer.map { $0.isRedirect ? "redirect" : "response" }),
            "status": .number(answer?.status), "reason": .text(answer.flatMap { $0.reason.isEmpty ? nil : $0.reason }),
            "headers": Self.fields(answer?.headers ?? []), "mediaType": .text(answer?.mediaType),
            "charset": .text(answer?.charset), "target": .text(answer?.redirectTarget),
            "modified": .number(answer?.modified?.nanoseconds ?? 0), "time": .number(try entry.time?.nanoseconds ?? 0),
            "codings": .text(answer.flatMap { $0.codings.isEmpty ? nil : $0.codings.joined(separator: ", ") }),
            "address": .text(answer?.address), "body": Self.body(try entry.body),
            "requestHeaders": Self.fields(request.headers), "requestBody": Self.body(try entry.requestBody),
        ]
    }

    /// Names and values are bytes; read as Latin-1 none is lost.
    package static func fields(_ fields: HeaderFields) -> JSONValue {
        .array(fields.map { .array([.string(latin1($0.nameBytes)), .string(latin1($0.valueBytes))]) })
    }

    package static func latin1(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
    }

    package static func body(_ body: ArchiveBody?) -> JSONValue {
        guard let body else { return .null }
        return ["digest": .string(body.digest.description), "length": .number(body.length)]
    }
}
