// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

@Suite struct ExplorerDescriptionTests {
    /// Requests that bring about every shape of every response: redirects, misses, entries without a response.
    private static let requests = [
        "/-/api/archives", "/-/api/pages", "/-/api/pages?from=1", "/-/api/entries", "/-/api/entries?limit=1",
        "/-/api/entries?q=nothing", "/-/api/space",
        "/-/api/space?folder=", "/-/api/misses", "/-/api/openapi.json", "/-/api/entry?url=https://site.example/",
        "/-/api/entry?url=https://site.example/old", "/-/api/entry?url=https://site.example/away",
        "/-/api/entry?url=https://site.example/form&method=POST", "/-/api/entry?url=https://site.example/silent",
        "/-/api/entry?url=https://site.example/lost",
    ]

    private func client() throws -> ExplorerClient {
        let sample = try ReplaySample { writer in
            try writer.setMetadata("title", to: "Title")
            try writer.add(
                ArchiveRequest(method: "POST", url: "https://site.example/form", headers: ["A": "b"]),
                requestBody: writer.addBody([9]), response: ArchiveResponse(), body: writer.addBody([8]))
            try writer.add(ArchiveRequest(url: "https://site.example/silent"), response: nil)
            try writer.add(ArchiveRequest(url: "https://site.example/api?_=1"), response: ArchiveResponse())
        }
        let builder = try CommitBuilder(appendingTo: sample.path)
        var lost = ArchiveResponse()
        (lost.absentDigest, lost.version, lost.truncation, lost.isDerived) = ("sha1:QQ", "HTTP/1.1", "length", true)
        var request = ArchiveRequest(url: "https://site.example/lost")
        request.version = "HTTP/1.1"
        try builder.add(request, response: lost, role: .withoutBody)
        try builder.add(ArchivePage(url: "https://site.example/", time: ArchiveTime(seconds: 1), title: "Home"))
        try builder.add(ArchivePage(url: "https://site.example/old"))
        try builder.commit()
        let client = try ExplorerClient(sample, matching: .replaying)
        for path in ["/gone", "/api?_=2"] { client.service.note(client.get(path)) }
        return client
    }

    private func schema(_ path: String, in document: [String: Any]) throws -> [String: Any] {
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let place = String(path.prefix { $0 != "?" })
        let operation = try #require(paths[place]?["get"] as? [String: Any], "\(path)")
        let responses = try #require(operation["responses"] as? [String: [String: Any]])
        let content = try #require(responses["200"]?["content"] as? [String: [String: Any]])
        return try #require(content["application/json"]?["schema"] as? [String: Any])
    }

    /// Everything that a response has is described, and the reverse.
    @Test func answersAreAsDescribed() throws {
        let client = try client()
        let document = try client.json("/-/api/openapi.json")
        let components = try #require(
            (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        for path in Self.requests {
            try check(client.json(path), schema(path, in: document), components, path)
        }
        // Every path exists, and every place has a path.
        let paths = try #require(document["paths"] as? [String: Any])
        #expect(Set(paths.keys) == Set(ExplorerPage.Place.allCases.filter(\.isData).map(\.rawValue)))
        #expect(Set(paths.keys) == Set(Self.requests.map { String($0.prefix { $0 != "?" }) }))
    }

    private func check(
        _ value: Any, _ schema: [String: Any], _ components: [String: [String: Any]], _ place: String
    ) throws {
        if let reference = schema["$ref"] as? String {
            let name = try #require(reference.split(separator: "/").last.map(String.init))
            return try check(value, #require(components[name], "\(reference)"), components, place)
        }
        if let items = value as? [Any], let schema = schema["items"] as? [String: Any] {
            for (number, item) in items.enumerated() { try check(item, schema, components, "\(place)[\(number)]") }
        }
        guard let object = value as? [String: Any], let properties = schema["properties"] as? [String: [String: Any]]
        else { return }
        let required = try #require(schema["required"] as? [String])
        #expect(Set(object.keys).isSubset(of: properties.keys) && Set(object.keys).isSuperset(of: required), "\(place)")
        for (name, value) in object {
            try check(value, #require(properties[name]), components, "\(place).\(name)")
        }
    }

    /// The types too, as somebody else's program understands them.
    @Test(.enabled(if: Python.hasJSONSchema)) func answersAreValid() throws {
        let client = try client()
        let document = try client.json("/-/api/openapi.json")
        let questions = try Self.requests.map { path in
            let question: [String: Any] = [
                "schema": try schema(path, in: document), "components": try #require(document["components"]),
                "value": try client.json(path),
            ]
            return String(decoding: try JSONSerialization.data(withJSONObject: question), as: UTF8.self)
        }
        let script = """
            import sys, json, jsonschema
            for line in sys.stdin:
                q = json.loads(line)
                schema = dict(q["schema"], components=q["components"])
                jsonschema.Draft202012Validator.check_schema(schema)
                for s in q["components"]["schemas"].values(): jsonschema.Draft202012Validator.check_schema(s)
                print([e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(q["value"])])
            """
        for (path, answer) in zip(Self.requests, try Python.answers(script, to: questions)) {
            #expect(answer == "[]", "\(path)")
        }
    }
}
