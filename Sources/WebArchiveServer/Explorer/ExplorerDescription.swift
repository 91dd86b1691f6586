// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The description of the explorer's JSON, in OpenAPI 3.1.
enum ExplorerDescription {
    static let json: JSONValue = [
        "openapi": "3.1.0",
        "info": [
            "title": "webarc explorer", "version": "1",
            "description": "What is in the archives that a server replays. To be read only; not for scripts of pages.",
            "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
        ],
        "servers": [["url": "/"]],
        "paths": [
            "/-/api/archives": path("archives", "The archives, the first layer first.", [], "Archives"),
            "/-/api/entries": path(
                "entries", "Entries in the order of layers and URLs, page by page.",
                [
                    parameter(
                        "q",
                        "Words that stand in the URL or in the title of a page; or the beginning of a URL, with the scheme."
                    ),
                    parameter("type", "The beginning of a media type."),
                    parameter("status", "A status, or its first digit."),
                    parameter("kind", "What was answered.", choice(["response", "redirect", "none"])),
                    parameter("method", "The method of the request."),
                    parameter("layer", "The number of an archive.", number("int32", minimum: 0)),
                    parameter("after", "`next` of the page before."),
                    parameter(
                        "limit", "Entries of a page.",
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
                    parameter("url", "Its URL."), parameter("method", "The method of the request; GET by default."),
                ], "Entry", canMiss: true),
            "/-/api/space": path(
                "space", "What takes the space, by folder and by type.",
                [
                    parameter(
                        "folder", "The beginning of URLs; empty for all. By default the first folder that is divided.")
                ],
                "Space"),
            "/-/api/misses": path("misses", "What was asked for since the start and is in no archive.", [], "Misses"),
            "/-/api/openapi.json": path("description", "This description.", [], "Description"),
        ],
        "components": ["schemas": ExplorerSchemas.json],
    ]

    private static func path(
        _ name: String, _ summary: String, _ parameters: [JSONValue], _ schema: String, canMiss: Bool = false
    ) -> JSONValue {
        let missing: [JSONValue.Member] =
            canMiss ? [.init(name: "404", value: response("There is none.", "Error"))] : []
        return [
            "get": [
                "operationId": .string(name), "summary": .string(summary), "parameters": .array(parameters),
                "responses": .object(
                    [.init(name: "200", value: response("As asked for.", schema))] + missing
                        + [.init(name: "500", value: response("An archive cannot be read.", "Error"))]),
            ]
        ]
    }

    private static func response(_ text: String, _ schema: String) -> JSONValue {
        [
            "description": .string(text),
            "content": ["application/json": ["schema": ExplorerSchemas.reference(schema)]],
        ]
    }

    private static func parameter(_ name: String, _ text: String, _ schema: JSONValue = ["type": "string"]) -> JSONValue
    {
        ["name": .string(name), "in": "query", "description": .string(text), "schema": schema]
    }

    private static func choice(_ values: [String]) -> JSONValue {
        ["type": "string", "enum": .array(values.map { .string($0) })]
    }

    private static func number(_ format: String, minimum: Int) -> JSONValue {
        ["type": "integer", "format": .string(format), "minimum": .number(minimum)]
    }
}
