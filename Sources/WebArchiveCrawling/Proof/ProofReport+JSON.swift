// SPDX-License-Identifier: Apache-2.0

package import WebArchive
import WebArchivePresentation

extension ClassifiedRequest {
    /// The request for programs: `method` and `url` name it, and `content` if it has a body.
    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "method", value: .string(identity.method)), .init(name: "url", value: .string(identity.url)),
        ]
        if let content = identity.content { members.append(.init(name: "content", value: .string("\(content)"))) }
        if let body = identity.body { members.append(.init(name: "body", value: .string("\(body)"))) }
        if !rules.isEmpty { members.append(.init(name: "rules", value: .array(rules.map(JSONValue.string)))) }
        if let reason { members.append(.init(name: "reason", value: .string(reason))) }
        if !near.isEmpty { members.append(.init(name: "near", value: .array(near.map(JSONValue.string)))) }
        return .object(members)
    }
}

extension PageProof {
    /// The proof of the page for programs. Exact requests are a number only.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "page", value: .string(url)),
            .init(name: "time", value: .text(time.map(Timestamp.text))), .init(name: "title", value: .text(title)),
            .init(name: "complete", value: .bool(isComplete)), .init(name: "compared", value: .bool(isCompared)),
            .init(name: "exact", value: .number(count(.exact))),
        ]
        for requestClass in RequestClass.allCases where requestClass != .exact {
            let listed = requests.filter { $0.requestClass == requestClass }.map(\.json)
            members.append(.init(name: requestClass.rawValue, value: .array(listed)))
        }
        members += [
            .init(name: "text", value: .string(text.rawValue)),
            .init(name: "screenshot", value: .string(screenshot.rawValue)),
            .init(name: "failure", value: .text(failure)),
        ]
        return .object(members)
    }
}

extension ProofReport {
    /// The summary for programs: `misses` has each request that the archive lacks once, with the pages that sent it.
    package var json: JSONValue {
        .object([
            .init(name: "archive", value: .string(archive)), .init(name: "complete", value: .bool(isComplete)),
            .init(name: "isolation", value: .string(isolation.rawValue)),
            .init(name: "time", value: .text(time.map(Timestamp.text))),
            .init(name: "pages", value: .number(pages.count)), .init(name: "of", value: .number(pageCount)),
            .init(name: "seed", value: .number(seed)),
            .init(
                name: "requests",
                value: .object(
                    RequestClass.allCases.map { .init(name: $0.rawValue, value: .number(count($0))) })),
            .init(name: "misses", value: .array(faults(.missed).map(\.json))),
            .init(name: "leaks", value: .array(faults(.leaked).map(\.json))),
        ])
    }
}

extension ProofReport.Fault {
    var json: JSONValue {
        guard case .object(let members) = request.json else { return .null }
        return .object(members + [.init(name: "pages", value: .array(pages.map(JSONValue.string)))])
    }
}
