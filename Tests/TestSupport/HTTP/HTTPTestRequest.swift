// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WebArchive

/// A request as a server has received it.
public struct HTTPTestRequest: Sendable {
    public let method: String
    /// As it came: the path with its query, or an absolute URL.
    public let target: String
    /// In the order in which they came, with their case and their duplicates.
    public let fields: HeaderFields
    public let body: [UInt8]
    /// Counts the connections of the server from 1.
    public let connection: Int

    /// The target without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The content of the echo of a request, as JSON.
    public struct Echo: Codable, Sendable {
        public let method: String
        public let target: String
        /// Name and value of each field.
        public let fields: [[String]]
        /// In Base64.
        public let body: Data

        public init(_ request: HTTPTestRequest) {
            method = request.method
            target = request.target
            fields = request.fields.map { [$0.name, $0.value] }
            body = Data(request.body)
        }

        public init(decoding data: Data) throws { self = try JSONDecoder().decode(Self.self, from: data) }

        /// The values of all fields of a name, compared without regard to case.
        public func values(_ name: String) -> [String] {
            fields.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
        }
    }
}
