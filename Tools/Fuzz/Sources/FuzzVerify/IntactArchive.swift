// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive

/// Holds an archive in which verification found no error to what that promises.
struct IntactArchive {
    let archive: ArchiveReader

    func check() {
        do {
            try checkEntries()
            _ = try archive.metadata()
        } catch {
            expect(false, "verification found no error, and yet: \(error)")
        }
    }

    private func checkEntries() throws(ArchiveError) {
        var count = 0
        var before: [UInt8] = []
        try archive.forEachEntry { entry throws(ArchiveError) in
            count += 1
            let key = try entry.keyBytes
            expect(!key.lexicographicallyPrecedes(before), "entries out of order")
            before = key
            _ = try entry.request
            _ = try entry.response
            try check(entry.body)
            try check(entry.requestBody)
            try checkLookup(of: entry, key)
            return true
        }
        expect(count == archive.entryCount, "\(count) entries listed of \(archive.entryCount)")
    }

    private func check(_ body: ArchiveBody?) throws(ArchiveError) {
        guard let body else { return }
        let bytes = try body.bytes()
        expect(UInt64(bytes.count) == body.length, "\(bytes.count) bytes of a body of \(body.length)")
        expect(ContentDigest(hashing: bytes) == body.digest, "a body that does not have its digest")
        let isFound = try archive.bodies(digest: body.digest).contains { $0.length == body.length }
        expect(isFound, "a body that its digest does not find")
    }

    private func checkLookup(of entry: ArchiveEntry, _ key: [UInt8]) throws(ArchiveError) {
        expect(CanonicalURL.isCanonical(utf8: key), "a key that is not canonical")
        guard try entry.role != .unpackOnly, let url = try? CanonicalURL(utf8: key) else { return }
        let found = try archive.entry(for: url, method: entry.method, bodyDigest: entry.requestBody?.digest)
        expect(found != nil, "\(url) is there and not found")
    }
}
