// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The bodies of responses by the names under which revisits refer to them. ISO 28500 section 6.7.
///
/// It takes some 55 bytes for a response: an import has millions of them.
struct PayloadTable {
    /// A stored body.
    struct Payload {
        let body: CommitBuilder.BodyReference
        /// The codings that were removed from it.
        let codings: [String]
        let mediaType: String?
    }

    private struct Row {
        /// The number of the body, through all commits.
        let body: UInt32
        /// The index in ``kinds``.
        let kind: UInt32
    }

    /// The properties that many bodies share.
    private struct Kind: Hashable {
        let codings: [String]
        let mediaType: String?
    }

    private var rows = RowList<Row>()
    private var kinds: [Kind] = []
    private var kindNumbers: [Kind: UInt32] = [:]
    /// The names of each row: half of their MD5s, for names are as long as URLs; 0 for none.
    private var hashes = RowList<UInt64>()
    /// The indices in ``hashes`` by their values.
    private var table = HashedRows()

    /// The number of names of a row.
    private static let nameCount = 3
    private let target: ImportTarget

    init(_ target: ImportTarget) { self.target = target }

    /// A reference to a response, from its own record or from a revisit.
    struct Names {
        /// The digest that the record claims, as a label; writers differ in the case of the algorithm's name.
        var label: String?
        /// The identifier of the record of the response.
        var identifier: String?
        /// The URL and the date of the response.
        var url: String?
        var date: String?

        fileprivate var hashes: [UInt64] {
            var hashes: [UInt64] = []
            func add(_ parts: [String]) {
                hashes.append(max(1, ContentDigest(hashing: Array(parts.joined(separator: "\n").utf8)).high))
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
            return hashes
        }
    }

    /// Adds a body. Of several with one name the first counts.
    mutating func insert(_ names: Names, _ payload: Payload) {
        let kind = Kind(codings: payload.codings, mediaType: payload.mediaType)
        let number = kindNumbers[kind] ?? UInt32(kinds.count)
        if number == kinds.count {
            kinds.append(kind)
            kindNumbers[kind] = number
        }
        let new = names.hashes.filter { row(of: $0) == nil }
        guard !new.isEmpty else { return }
        rows.append(Row(body: payload.body.number, kind: number))
        for place in 0..<Self.nameCount {
            let hash = place < new.count ? new[place] : 0
            let index = UInt32(hashes.count)
            hashes.append(hash)
            if hash != 0 { table.insert(index, Self.slot(hash)) { [hashes] in Self.slot(hashes[Int($0)]) } }
        }
    }

    /// Returns the body of the first name that is known.
    ///
    /// - Throws: `damaged`, `io` for a body of the archive that is appended to.
    func payload(_ names: Names) throws(ArchiveError) -> Payload? {
        for hash in names.hashes {
            guard let found = row(of: hash) else { continue }
            let (row, kind) = (rows[Int(found)], kinds[Int(rows[Int(found)].kind)])
            return Payload(
                body: try target.reference(toBody: row.body), codings: kind.codings, mediaType: kind.mediaType)
        }
        return nil
    }

    private func row(of hash: UInt64) -> UInt32? {
        table.first(Self.slot(hash)) { hashes[Int($0)] == hash }.map { $0 / UInt32(Self.nameCount) }
    }

    // Others in each process: names whose hashes share many bits are easily made.
    private static let seeds = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max) | 1)

    private static func slot(_ hash: UInt64) -> Int {
        let product = (hash ^ seeds.0).multipliedFullWidth(by: seeds.1)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}
