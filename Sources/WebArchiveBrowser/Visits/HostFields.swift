// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The header fields that a browser adds to requests to some hosts, such as `Authorization`: other hosts must not get them.
package struct HostFields: Sendable {
    private let fields: HeaderFields
    private let roots: Set<[UInt8]>

    /// Creates fields for the hosts of some URLs, with their schemes and ports.
    package init(_ fields: HeaderFields, hostsOf urls: [CanonicalURL]) {
        self.fields = fields
        roots = Set(urls.map { Array($0.root) })
    }

    /// The parameters that make a session wait before such requests.
    var patterns: JSONValue {
        let patterns = roots.map { String(decoding: $0, as: UTF8.self) }.sorted().map { root -> JSONValue in
            ["urlPattern": .string(root + "/*"), "requestStage": "Request"]
        }
        return ["patterns": .array(patterns)]
    }

    /// Returns the fields of a request with those that are added; nil for a request to another host.
    func added(to sent: [JSONValue.Member], url: String) -> JSONValue? {
        guard let url = try? CanonicalURL(url), roots.contains(Array(url.root)) else { return nil }
        let kept = sent.filter { member in !fields.contains { $0.isNamed(member.name) } }
        let all = kept.map { ($0.name, $0.value) } + fields.map { ($0.name, .string($0.value)) }
        return .array(all.map { name, value in ["name": .string(name), "value": value] })
    }
}
