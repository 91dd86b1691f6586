// SPDX-License-Identifier: Apache-2.0

import Editions
import FuzzSupport

@testable import WebArchive
@testable import WebArchiveFormat

/// An archive that was opened with keys, held against the one that they signed.
struct TrustedReading {
    private let archive, original: ArchiveReader
    private let trust: ArchiveTrust

    private static let trusts: [ArchiveTrust] = [
        Editions.trust, ArchiveTrust([Publisher.alice.publicKey]), ArchiveTrust(Editions.trust.keys, threshold: 2),
    ]

    /// Opens an archive with keys in several ways, and reads it.
    static func check(_ bytes: [UInt8]) {
        for trust in trusts {
            attempt { () throws(ArchiveError) in
                let archive = try ArchiveReader(bytes: bytes, trust: trust)
                guard let original = Editions.signed[archive.statement?.root ?? []] else {
                    return expect(false, "an archive that nobody signed is trusted")
                }
                let reading = TrustedReading(archive: archive, original: original, trust: trust)
                reading.checkStatement()
                reading.checkEntries()
                reading.checkParts(bytes)
            }
        }
        attempt { () throws(ArchiveError) in
            let archive = try ArchiveReader(bytes: bytes)
            let found = try EarlierSignatures(of: archive, by: Editions.trust.keys)
            guard let own = found.own else { return }
            expect(Editions.signed[own.root] != nil, "a statement that nobody signed counts")
        }
    }

    /// Does what an archive may refuse.
    private static func attempt(_ work: () throws(ArchiveError) -> Void) {
        do throws(ArchiveError) {
            try work()
        } catch {
            expect(error.code != .io && error.code != .invalidArgument, "not an error of the archive: \(error)")
        }
    }

    private func checkStatement() {
        guard let own = archive.statement, let other = original.statement else { return }
        expect(own.sequence == other.sequence && own.series == other.series, "another statement of the same root")
        expect(own.time == other.time && own.commit == other.commit, "another statement of the same root")
        expect(!own.signers.isEmpty && trust.keys.isSuperset(of: own.signers), "signers that nobody trusts")
    }

    private func checkEntries() {
        var entries: [ArchiveEntry] = []
        do throws(ArchiveError) {
            try original.forEachEntry { entry throws(ArchiveError) in
                entries.append(entry)
                return true
            }
        } catch {
            return expect(false, "an edition cannot be read: \(error)")
        }
        Self.attempt { () throws(ArchiveError) in
            var count = 0
            try archive.forEachEntry { entry throws(ArchiveError) in
                guard count < entries.count else {
                    expect(false, "more entries than were signed")
                    return false
                }
                check(entry, entries[count])
                count += 1
                return true
            }
            expect(count == entries.count, "\(count) entries of \(entries.count)")
        }
        Self.attempt { () throws(ArchiveError) in
            let (own, other) = (try archive.metadata(), try original.metadata())
            expect(own == other, "other metadata than were signed")
        }
    }

    /// Compares each value alone: one that is refused says nothing about the next.
    private func check(_ entry: ArchiveEntry, _ original: ArchiveEntry) {
        same(entry, original) { entry throws(ArchiveError) in try entry.keyBytes }
        same(entry, original) { entry throws(ArchiveError) in try entry.role }
        same(entry, original) { entry throws(ArchiveError) in try entry.time }
        same(entry, original) { entry throws(ArchiveError) in try entry.request.url }
        same(entry, original) { entry throws(ArchiveError) in try entry.request.method }
        same(entry, original) { entry throws(ArchiveError) in try entry.request.headers }
        same(entry, original) { entry throws(ArchiveError) in try entry.response?.status }
        same(entry, original) { entry throws(ArchiveError) in try entry.response?.headers }
        same(entry, original) { entry throws(ArchiveError) in try entry.redirectTarget }
        same(entry, original) { entry throws(ArchiveError) in try entry.body?.length }
        same(entry, original) { entry throws(ArchiveError) in try entry.body?.bytes() }
        same(entry, original) { entry throws(ArchiveError) in try entry.requestBody?.bytes() }
        Self.attempt { () throws(ArchiveError) in
            guard let url = try? CanonicalURL(utf8: try original.keyBytes) else { return }
            let (own, other) = (try archive.entry(for: url), try self.original.entry(for: url))
            guard let own, let other else { return expect(own == nil && other == nil, "\(url) is found, or is not") }
            same(own, other) { entry throws(ArchiveError) in try entry.body?.bytes() }
        }
    }

    private func same<Value: Equatable>(
        _ entry: ArchiveEntry, _ original: ArchiveEntry, _ value: (ArchiveEntry) throws(ArchiveError) -> Value
    ) {
        Self.attempt { () throws(ArchiveError) in
            let (own, other) = (try value(entry), try value(original))
            expect(own == other, "something else is read than was signed")
        }
    }

    /// A file of which all parts are right is the one that was signed.
    private func checkParts(_ bytes: [UInt8]) {
        Self.attempt { () throws(ArchiveError) in
            guard try SignedParts(archive).verify(threads: 1) else { return }
            let (own, other) = (StoredArchive(archive), StoredArchive(original))
            expect(own.committedLength == other.committedLength, "an archive of another length")
            let groups = SignedParts(archive).groups.map(\.range)
            for layout in own.layouts {
                for section in layout.sections.sections where section.kind != .merkleTree && section.kind != .signature
                {
                    let range = section.extent.offset..<section.extent.end
                    let known = try other.source.bytes(at: range.lowerBound, count: Int(section.extent.length))
                    expect(
                        bytes[Int(range.lowerBound)..<Int(range.upperBound)].elementsEqual(known),
                        "other bytes in \(section.kind)")
                }
            }
            expect(groups.allSatisfy { $0.upperBound <= UInt64(bytes.count) }, "a tree behind the end")
        }
    }
}
