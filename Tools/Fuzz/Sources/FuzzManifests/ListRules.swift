// SPDX-License-Identifier: Apache-2.0

import Editions
import FuzzSupport
import SystemPackage

@testable import WebArchive
@testable import WebArchiveUpdates

/// The rules that hold for every list that is read.
struct ListRules {
    private let list: UpdateManifest

    /// Reads the list; nil for one that is refused.
    init?(file: [UInt8]) {
        do throws(ArchiveError) {
            list = try Self.read(file)
        } catch {
            expect(
                [.damaged, .untrusted, .unsupportedVersion, .limitExceeded].contains(error.code),
                "not an error of the list: \(error)")
            return nil
        }
    }

    private static func read(_ file: [UInt8]) throws(ArchiveError) -> UpdateManifest {
        let name = UpdateManifest.fileName
        return try SignedManifest(decoding: file, name: name).manifest(trust: Editions.trust, name: name)
    }

    func check() {
        checkLimits()
        for file in list.editions.map(\.file) + list.patches.map(\.file) { checkName(file.name) }
        checkWriting()
        within(5, "choosing ways") { checkWays() }
    }

    private func checkLimits() {
        expect((1...100).contains(list.editions.count) && list.patches.count <= 1_000, "more than a list may have")
        for (one, next) in zip(list.editions, list.editions.dropFirst()) {
            expect(one.sequence > next.sequence, "editions out of order")
        }
        for file in list.editions.map(\.file) + list.patches.map(\.file) {
            expect(file.length < 1 << 48, "a file of \(file.length) bytes")
        }
        let digests =
            list.editions.flatMap { [$0.identity, $0.file.sha256] }
            + list.patches.flatMap { [$0.from, $0.to, $0.sha256, $0.file.sha256] }
        for digest in digests {
            expect(digest.count == 64 && digest.allSatisfy { "0123456789abcdef".contains($0) }, "no digest: \(digest)")
        }
    }

    /// A name leads to a file of the folder, on a disk and on a host.
    private func checkName(_ name: String) {
        let folder: FilePath = "/releases/notes"
        let path = folder.appending(name)
        expect(
            path.removingLastComponent() == folder && path.lastComponent?.string == name,
            "a name that leads elsewhere: \(name)")
        let base = "https://example.org/notes/"
        guard let url = try? CanonicalURL(base + name) else { return expect(false, "no URL with \(name)") }
        expect(url.description == base + name && url.query == nil, "a URL that leads elsewhere: \(url)")
    }

    private func checkWriting() {
        do throws(ArchiveError) {
            let again = try SignedManifest(list, keys: [Publisher.alice], endorsements: [], revocations: [])
                .encoded()
            // A list that is written anew may pass the limit that the shorter spelling kept.
            guard again.count <= UpdateManifest.maximumLength else { return }
            let other = try Self.read(again)
            expect(other == list, "a list that changes when it is written")
        } catch {
            expect(false, "a list that cannot be read when it is written: \(error)")
        }
    }

    // MARK: - Ways

    private func checkWays() {
        let identities =
            list.editions.map(\.identity).prefix(4) + list.patches.prefix(4).map(\.from)
            + list.patches.suffix(4).map(\.from)
        for identity in [nil, String(repeating: "0", count: 64)] + identities.map(Optional.some) {
            check(UpdatePath(from: identity, in: list) { _ in 0 }, from: identity)
        }
        let half = UpdatePath(from: identities.first, in: list) { $0.length / 2 }
        expect(
            half.length <= UpdatePath(from: identities.first, in: list) { _ in 0 }.length,
            "more to load when half is there")
    }

    private func check(_ way: UpdatePath, from identity: String?) {
        guard let newest = list.newest else { return expect(false, "a list without editions") }
        guard !way.patches.isEmpty else {
            return expect(way.length == newest.file.length, "\(way.length) bytes for a whole archive")
        }
        expect(way.patches.first?.from == identity, "a way that begins elsewhere")
        expect(way.patches.last?.to == newest.identity, "a way that ends elsewhere")
        for (one, next) in zip(way.patches, way.patches.dropFirst()) {
            expect(one.to == next.from, "a way with a gap")
        }
        expect(way.patches.count <= 100, "a way of \(way.patches.count) patches")
        expect(Set(way.patches.map(\.to)).count == way.patches.count, "a way in a circle")
        expect(way.length == way.patches.reduce(0) { $0 + $1.file.length }, "a way of another length")
        expect(way.length < newest.file.length, "a way that is no shorter than the archive")
        expect(
            list.patches.count < 50 || way.patches.allSatisfy(Set(list.patches).contains),
            "a patch that the list does not have")
    }
}
