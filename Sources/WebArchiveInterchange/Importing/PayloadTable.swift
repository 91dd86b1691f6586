// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The bodies of responses by the names under which revisits refer to them. ISO 28500 section 6.7.
struct PayloadTable {
    /// A stored body.
    struct Payload {
        let body: CommitBuilder.BodyReference
        /// The codings that were removed from it.
        let codings: [String]
        let mediaType: String?
    }

    private var payloads: [Payload] = []
    /// The places in ``payloads`` by the MD5 of each name: names are as long as URLs.
    private var places: [ContentDigest: UInt32] = [:]

    /// A reference to a response, from its own record or from a revisit.
    struct Names {
        /// The digest that the record claims, as a label; writers differ in the case of the algorithm's name.
        var label: String?
        /// The identifier of the record of the response.
        var identifier: String?
        /// The URL and the date of the response.
        var url: String?
        var date: String?

        fileprivate var keys: [ContentDigest] {
            var keys: [ContentDigest] = []
            func add(_ parts: [String]) {
                keys.append(ContentDigest(hashing: Array(parts.joined(separator: "\n").utf8)))
            }
            // The record itself before its contents, which a file can claim falsely.
            if let identifier, !identifier.isEmpty { add(["record", identifier]) }
            if let url, let date, !url.isEmpty, !date.isEmpty {
                add(["url", (try? CanonicalURL(url))?.description ?? url, date])
            }
            if let label, !label.isEmpty {
                let parts = label.split(separator: ":", maxSplits: 1)
                add(["digest"] + (parts.count == 2 ? [String(parts[0]).asciiLowercased, String(parts[1])] : [label]))
            }
            return keys
        }
    }

    /// Adds a body. Of several with one name the first counts.
    mutating func insert(_ names: Names, _ payload: Payload) {
        for key in names.keys where places[key] == nil { places[key] = UInt32(payloads.count) }
        payloads.append(payload)
    }

    /// Returns the body of the first name that is known.
    func payload(_ names: Names) -> Payload? {
        for key in names.keys { if let place = places[key] { return payloads[Int(place)] } }
        return nil
    }
}
