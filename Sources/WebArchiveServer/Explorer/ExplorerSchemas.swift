// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The objects of the explorer's JSON, as JSON Schema 2020-12.
enum ExplorerSchemas {
    /// The schemas by the names to which `reference` refers, as `components/schemas` of OpenAPI has them.
    static let json: JSONValue = [
        "Error": object(["error": text]),
        "Description": ["type": "object", "required": ["openapi", "info", "paths"]],
        "Archives": object([
            "mainPage": text, "archives": list("Archive"),
            "pages": described(count, "The number of pages of the lists of pages."),
            "hosts": described(list("Host"), "The origins with the most entries."),
            "otherHosts": described(count, "The number of the origins that are not listed."),
            "allHosts": described(flag, "Whether all origins were counted."),
        ]),
        "Host": object(["origin": text, "entries": count]),
        "PageList": object([
            "pages": list("Page"), "total": count,
            "next": described(optional("integer"), "The `from` value for the next part; null at the end."),
        ]),
        "Page": object([
            "layer": count, "url": optional("string"), "title": optional("string"),
            "time": described(optional("integer"), "The time of the capture; null for the newest."),
            "status": described(count, "The status of the document; 0 if unknown."),
            "seed": described(flag, "Whether a crawl began at the page."),
            "damaged": described(flag, "Whether the page is unreadable."),
        ]),
        "Archive": object([
            "layer": count, "name": text, "bytes": count, "entries": count, "bodies": count, "commits": count,
            "title": optional("string"), "metadata": ["type": "object", "additionalProperties": text],
        ]),
        "EntryList": object([
            "entries": list("EntryRow"),
            "looked": described(count, "The number of entries examined for this page."),
            "next": described(optional("string"), "The `after` value for the next page; null at the end."),
            "complete": described(flag, "Whether the search is complete."),
            "unreadTitles": described(
                count,
                "The number of pages of which only the URL was searched; their titles are read by the next search."),
            "restarted": described(
                flag,
                "Whether `after` refers to no entry, as after an archive was replaced, and the search restarted at the beginning of this archive."
            ),
        ]),
        "EntryRow": object([
            "id": text, "layer": count, "url": described(text, "The canonical URL."), "method": text, "role": role,
            "kind": kind, "status": optional("integer"), "mediaType": optional("string"),
            "length": described(optional("integer"), "The content length in bytes."), "time": optional("integer"),
            "title": described(optional("string"), "The page title, if it has been read."),
            "damaged": described(flag, "Whether other parts of the entry are unreadable."),
        ]),
        "Entry": object(
            [
                "url": described(text, "The requested URL."), "key": described(text, "The canonical URL."),
                "method": text, "role": role, "kind": kind, "status": optional("integer"), "reason": optional("string"),
                "headers": fields, "mediaType": optional("string"), "charset": optional("string"),
                "target": described(optional("string"), "The redirect target."), "modified": time, "time": time,
                "codings": described(optional("string"), "The content codings removed from the body."),
                "address": optional("string"), "body": body, "requestHeaders": fields, "requestBody": body,
                "id": text, "layer": count, "redirects": list("Redirect"),
                "redirectsEnd": [
                    "enum": .array(RedirectChain.End.allCases.map { .string($0.rawValue) } + [.null])
                ],
                "others": list("EntryRow"),
            ], optional: recorded),
        "Redirect": object(["url": text, "id": optional("string"), "status": optional("integer")]),
        "Body": object(["digest": described(text, "The MD5 in hexadecimal digits."), "length": count]),
        "Space": object([
            "folder": text, "total": reference("Amount"),
            "complete": described(flag, "Whether all entries were surveyed."), "folders": list("Folder"),
            "types": list("MediaType"), "otherFolders": reference("Amount"), "otherTypes": reference("Amount"),
        ]),
        "Amount": object(amount),
        "Folder": object(
            [
                "folder": described(
                    text, "The prefix that its URLs share; the surveyed folder for the entries directly in it."),
                "groups": described(
                    ["type": "object", "additionalProperties": count], "Stored bytes, by kind of content."),
            ], amount),
        "MediaType": object(["mediaType": text], amount),
        "Misses": object(["misses": list("Miss"), "capacity": described(count, "The maximum number of URLs kept.")]),
        "Miss": object([
            "url": text, "count": count, "last": time,
            "rules": described(
                ["type": "array", "items": text], "The rules that found a response; none for a missing page."),
        ]),
    ]

    /// The properties that the objects with an amount have.
    private static let amount: KeyValuePairs<String, JSONValue> = [
        "entries": count, "length": described(count, "The content length in bytes."),
        "stored": described(count, "The stored length in bytes; shared data counts once."),
    ]

    /// The properties of an entry that only recordings of the web have.
    private static let recorded: KeyValuePairs<String, JSONValue> = [
        "version": described(text, "The protocol of the response."),
        "truncated": described(text, "The reason why the body is not whole."),
        "absent": described(text, "The digest of a body that the archive lacks; empty if unknown."),
        "failure": described(text, "The reason why there was no response."),
        "requestVersion": described(text, "The protocol of the request."),
        "derived": described(["const": .number(1)], "Present if the fields were derived from the body."),
        "head": body, "wire": body, "requestHead": body, "requestWire": body,
    ]

    private static let text: JSONValue = ["type": "string"]
    private static let flag: JSONValue = ["type": "boolean"]
    /// A number that is never negative.
    private static let count: JSONValue = ["type": "integer", "format": "int64", "minimum": .number(0)]
    /// A time, in nanoseconds.
    private static let time: JSONValue = [
        "type": "integer", "format": "int64", "description": "Nanoseconds since 1970; 0 if unknown.",
    ]
    /// The number of a role, the raw value of ``ArchiveEntry/Role``.
    private static let role: JSONValue = [
        "enum": .array([0, 1, 2, 3].map { .number($0) }),
        "description": "0 exchange, 1 alias, 2 for unpacking only, 3 a response whose body is missing.",
    ]
    /// The kind of a response; null without one.
    private static let kind: JSONValue = ["enum": .array(["response", "redirect", .null])]
    /// A body; null without one.
    private static let body: JSONValue = ["anyOf": .array([reference("Body"), ["type": "null"]])]
    /// The header fields in their order, each as a pair: a name may occur several times.
    private static let fields: JSONValue = [
        "type": "array", "description": "Names and values, decoded as Latin-1.",
        "items": [
            "type": "array", "minItems": .number(2), "maxItems": .number(2), "items": ["type": "string"],
        ],
    ]

    /// Returns a reference to a schema of this description.
    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    /// Returns the schema of a list of objects of one schema.
    private static func list(_ name: String) -> JSONValue { ["type": "array", "items": reference(name)] }

    /// Returns the schema of a value that may be null.
    private static func optional(_ type: String) -> JSONValue { ["type": .array([.string(type), "null"])] }

    /// Returns a schema with a description added. A schema that is not an object of JSON is returned as it is.
    private static func described(_ schema: JSONValue, _ text: String) -> JSONValue {
        guard case .object(let members) = schema else { return schema }
        return .object(members + [.init(name: "description", value: .string(text))])
    }

    /// Returns the schema of an object, whose properties are always present unless they are optional.
    ///
    /// - Parameters:
    ///   - properties: the properties in the order of the JSON.
    ///   - more: the properties that follow them.
    ///   - optional: the properties that may be missing.
    private static func object(
        _ properties: KeyValuePairs<String, JSONValue>, _ more: KeyValuePairs<String, JSONValue> = [:],
        optional: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        let all = Array(properties) + Array(more)
        return [
            "type": "object", "required": .array(all.map { .string($0.key) }),
            "properties": .object((all + Array(optional)).map { .init(name: $0.key, value: $0.value) }),
        ]
    }
}
