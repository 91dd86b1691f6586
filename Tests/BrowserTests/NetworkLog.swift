// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import Testing

/// The actions that Chromium's network service reports.
struct NetworkLog {
    /// Addresses that connections were opened to.
    private(set) var addresses: Set<String> = []
    /// Names that were looked up, and datagrams that were sent.
    private(set) var others: [String] = []

    struct Unreadable: Error {
        let file: FilePath
    }

    static func option(_ file: FilePath) -> String { "--log-net-log=\(file)" }

    /// - Parameter file: of a browser that has ended.
    init(reading file: FilePath) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: file.string))
        // Not by #require, which would write all of a log of many megabytes as text.
        guard let log = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let constants = log["constants"] as? [String: Any],
            let types = constants["logEventTypes"] as? [String: Int],
            let events = log["events"] as? [[String: Any]]
        else { throw Unreadable(file: file) }
        let names = Dictionary(uniqueKeysWithValues: types.map { ($1, $0) })
        for event in events {
            guard let type = event["type"] as? Int, let name = names[type] else { continue }
            let parameters = event["params"] as? [String: Any]
            if name == "TCP_CONNECT_ATTEMPT", let address = parameters?["address"] as? String {
                addresses.insert(address)
            }
            // UDP_CONNECT alone is a question to the routing table: no packet is sent.
            let isOutside =
                name == "UDP_BYTES_SENT" || name.hasPrefix("DNS_TRANSACTION") || name == "HOST_RESOLVER_DNS_TASK"
                || name == "HOST_RESOLVER_SYSTEM_TASK"
            if isOutside { others.append("\(name) \(parameters ?? [:])") }
        }
    }

    /// Nothing tried to leave the machine: all connections went to a port of ours, and nothing else happened.
    func expectOnly(port: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(addresses == ["127.0.0.1:\(port)"], sourceLocation: sourceLocation)
        #expect(others.isEmpty, sourceLocation: sourceLocation)
    }
}
