// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The registration of responses by method, in one line each.
extension Stub {
    /// Registers the responses to `GET`, in order, with the last one repeated; see ``on(_:_:_:)``. HEAD is a different
    /// method.
    public func get(_ url: String, _ responses: LocalResponse...) { register("GET", url, responses) }

    /// Registers a JSON text as the repeated response to `GET`; see ``on(_:_:_:)``.
    ///
    /// - Parameters:
    ///   - url: an absolute URL.
    ///   - json: the content; an `application/json` unless `headers` say otherwise.
    ///   - status: the status, 100 to 999; 200 by default.
    ///   - headers: the further fields; none by default. A `Content-Type` replaces the usual one.
    ///   - delay: the time from the request to the response; none by default.
    public func get(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("GET", url, [.json(json, status, headers, delay)])
    }

    /// Registers the responses to `POST`; see ``on(_:_:_:)``.
    public func post(_ url: String, _ responses: LocalResponse...) { register("POST", url, responses) }

    /// Registers a JSON text as the response to `POST`, for any request body; the parameters are those of
    /// ``get(_:json:status:headers:delay:)``.
    public func post(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("POST", url, [.json(json, status, headers, delay)])
    }

    /// Registers the responses to `PUT`; see ``on(_:_:_:)``.
    public func put(_ url: String, _ responses: LocalResponse...) { register("PUT", url, responses) }

    /// Registers a JSON text as the response to `PUT`; the parameters are those of ``get(_:json:status:headers:delay:)``.
    public func put(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("PUT", url, [.json(json, status, headers, delay)])
    }

    /// Registers the responses to `PATCH`; see ``on(_:_:_:)``.
    public func patch(_ url: String, _ responses: LocalResponse...) { register("PATCH", url, responses) }

    /// Registers a JSON text as the response to `PATCH`; the parameters are those of ``get(_:json:status:headers:delay:)``.
    public func patch(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("PATCH", url, [.json(json, status, headers, delay)])
    }

    /// Registers the responses to `DELETE`; see ``on(_:_:_:)``.
    public func delete(_ url: String, _ responses: LocalResponse...) { register("DELETE", url, responses) }

    /// Registers a JSON text as the response to `DELETE`; the parameters are those of ``get(_:json:status:headers:delay:)``.
    public func delete(
        _ url: String, json: JSONBody, status: Int = 200, headers: HeaderFields = [], delay: Duration = .zero
    ) {
        register("DELETE", url, [.json(json, status, headers, delay)])
    }

    /// Registers the responses to `HEAD`, which are delivered without their content; see ``on(_:_:_:)``.
    public func head(_ url: String, _ responses: LocalResponse...) { register("HEAD", url, responses) }
}

extension LocalResponse {
    fileprivate static func json(
        _ json: JSONBody, _ status: Int, _ headers: HeaderFields, _ delay: Duration
    ) -> LocalResponse {
        var response = LocalResponse.json(json).status(status).after(delay)
        for field in headers {
            if field.isNamed("Content-Type") { response.headers.removeAll(named: "Content-Type") }
            response.headers.append(field)
        }
        return response
    }
}
