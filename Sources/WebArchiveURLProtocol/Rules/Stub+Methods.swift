// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// One line an answer, a method each.
extension Stub {
    /// Registers the answers to `GET`; see ``on(_:_:_:)``.
    public func get(_ url: String, _ answers: LocalAnswer...) { register("GET", url, answers) }

    /// Registers a JSON text as the answer to `GET`; see ``on(_:_:_:)``.
    public func get(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("GET", url, [.json(json, status, headers, delay)])
    }

    /// Registers the answers to `POST`; see ``on(_:_:_:)``.
    public func post(_ url: String, _ answers: LocalAnswer...) { register("POST", url, answers) }

    /// Registers a JSON text as the answer to `POST`; see ``on(_:_:_:)``.
    public func post(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("POST", url, [.json(json, status, headers, delay)])
    }

    /// Registers the answers to `PUT`; see ``on(_:_:_:)``.
    public func put(_ url: String, _ answers: LocalAnswer...) { register("PUT", url, answers) }

    /// Registers a JSON text as the answer to `PUT`; see ``on(_:_:_:)``.
    public func put(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("PUT", url, [.json(json, status, headers, delay)])
    }

    /// Registers the answers to `PATCH`; see ``on(_:_:_:)``.
    public func patch(_ url: String, _ answers: LocalAnswer...) { register("PATCH", url, answers) }

    /// Registers a JSON text as the answer to `PATCH`; see ``on(_:_:_:)``.
    public func patch(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("PATCH", url, [.json(json, status, headers, delay)])
    }

    /// Registers the answers to `DELETE`; see ``on(_:_:_:)``.
    public func delete(_ url: String, _ answers: LocalAnswer...) { register("DELETE", url, answers) }

    /// Registers a JSON text as the answer to `DELETE`; see ``on(_:_:_:)``.
    public func delete(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("DELETE", url, [.json(json, status, headers, delay)])
    }

    /// Registers the answers to `HEAD`; see ``on(_:_:_:)``.
    public func head(_ url: String, _ answers: LocalAnswer...) { register("HEAD", url, answers) }
}

extension LocalAnswer {
    fileprivate static func json(
        _ json: JSONBody, _ status: Int, _ headers: HeaderFields, _ delay: Duration
    ) -> LocalAnswer {
        var answer = LocalAnswer.json(json).status(status).after(delay)
        for field in headers {
            if field.isNamed("Content-Type") { answer.headers.removeAll(named: "Content-Type") }
            answer.headers.append(field)
        }
        return answer
    }
}
