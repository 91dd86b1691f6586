// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The description of the explorer's JSON, in OpenAPI 3.1.
enum ExplorerDescription {
    /// The document of `/-/api/openapi.json`. It is built once, and is the same for all archives.
    static let json: JSONValue = [
        "openapi": "3.1.0",
        "info": [
            "title": "webarc explorer", "version": "1",
            "description":
                "The contents of the archives that a server replays. Read-only; not available to page scripts.",
            "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
        ],
        "servers": [["url": "/"]],
        "paths": [
            "/-/api/archives": path("archives", "The archives, the first layer first.", [], "Archives"),
            "/-/api/pages": path(
                "pages", "The lists of pages of the archives, in parts.",
                [parameter("from", "The `next` value of the previous part.", number("int32", minimum: 0))], "PageList"),
            "/-/api/entries": path(
                "entries", "Entries sorted by layer and URL, in pages.",
                [
                    parameter(
                        "q",
                        "Words of the URL or of the page title, or the start of a URL with its scheme."
                    ),
                    parameter("type", "The start of a media type."),
                    parameter("status", "A status, or its first digit."),
                    parameter("kind", "The kind of response.", choice(["response", "redirect", "none"])),
                    parameter("method", "The request method."),
                    parameter("layer", "The number of an archive.", number("int32", minimum: 0)),
                    parameter("after", "The `next` value of the previous page."),
                    parameter(
                        "limit", "The maximum number of entries of a page.",
                        [
                            "type": "integer", "minimum": .number(EntrySearch.limits.lowerBound),
                            "maximum": .number(EntrySearch.limits.upperBound),
                            "default": .number(EntrySearch.usualLimit),
                        ]),
                ], "EntryList"),
            "/-/api/entry": path(
                "entry", "One entry, by `entry` or by `url`.",
                [
                    parameter("entry", "The `id` of an entry; changes when an archive is replaced."),
                    parameter("url", "The URL of the entry."),
                    parameter("method", "The request method; GET by default."),
                    parameter(
                        "time", "The time of a capture, for a GET; by default the newest.", number("int64", minimum: 0)),
                ], "Entry", canMiss: true),
            "/-/api/space": path(
                "space", "The use of space, by folder and by type.",
                [
                    parameter(
                        "folder", "A URL prefix; empty for all. By default, the first folder that has several parts.")
                ],
                "Space"),
            "/-/api/misses": path("misses", "Requests since startup that no archive satisfied.", [], "Misses"),
            "/-/api/openapi.json": path("description", "This description.", [], "Description"),
        ],
        "components": ["schemas": ExplorerSchemas.json],
    ]

    /// Returns the description of one path with its only operation, a GET.
    ///
    /// - Parameters:
    ///   - name: the identifier of the operation, for programs that generate clients.
    ///   - schema: the name of the schema of its data.
    ///   - canMiss: whether the response may be 404.
    private static func path(
        _ name: String, _ summary: String, _ parameters: [JSONValue], _ schema: String, canMiss: Bool = false
    ) -> JSONValue {
        let missing: [JSONValue.Member] =
            canMiss ? [.init(name: "404", value: response("There is no such entry.", "Error"))] : []
        return [
            "get": [
                "operationId": .string(name), "summary": .string(summary), "parameters": .array(parameters),
                "responses": .object(
                    [.init(name: "200", value: response("The requested data.", schema))] + missing
                        + [.init(name: "500", value: response("An archive cannot be read.", "Error"))]),
            ]
        ]
    }

    /// Returns the description of a response in JSON.
    private static func response(_ text: String, _ schema: String) -> JSONValue {
        [
            "description": .string(text),
            "content": ["application/json": ["schema": ExplorerSchemas.reference(schema)]],
        ]
    }

    /// Returns the description of a field of the query, a text by default. None is required.
    private static func parameter(_ name: String, _ text: String, _ schema: JSONValue = ["type": "string"]) -> JSONValue
    {
        ["name": .string(name), "in": "query", "description": .string(text), "schema": schema]
    }

    /// Returns the schema of a text that is one of some values.
    private static func choice(_ values: [String]) -> JSONValue {
        ["type": "string", "enum": .array(values.map { .string($0) })]
    }

    /// Returns the schema of an integer.
    ///
    /// - Parameter format: the width, `int32` or `int64`, as OpenAPI names it.
    private static func number(_ format: String, minimum: Int) -> JSONValue {
        ["type": "integer", "format": .string(format), "minimum": .number(minimum)]
    }
}
