// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive

/// A writer of a WACZ file: of its members, and at the end of their description with their digests.
final class PackageWriter {
    /// The description of the whole file.
    struct Description {
        /// The time of creation.
        let created: String
        var title: String?
        var text: String?
        /// The URL of the main page, and the time of its capture.
        var mainPage: String?
        var mainPageDate: String?

        init(created: String) { self.created = created }
    }

    private let zip: ZIPWriter
    private var resources: [JSONValue] = []

    /// - Parameter sink: a function that takes the bytes in their order.
    init(_ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) { zip = ZIPWriter(sink) }

    /// Adds a member.
    func add(_ path: String, _ content: SpooledBody) throws(ArchiveError) {
        var digest = Digest()
        try content.forEachBuffer { bytes throws(ArchiveError) in digest.update(bytes) }
        try zip.add(path, content)
        list(path, digest)
    }

    /// Adds a member that is written piece by piece.
    func add(
        _ path: String,
        _ content: (@escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let running = Running()
        try zip.add(path) { write throws(ArchiveError) in
            try content { bytes throws(ArchiveError) in
                running.digest.update(bytes)
                try write(bytes)
            }
        }
        list(path, running.digest)
    }

    /// Adds the descriptions, and the directory of the ZIP file.
    func finish(_ description: Description) throws(ArchiveError) {
        var members: [JSONValue.Member] = [
            .init(name: "profile", value: "data-package"), .init(name: "wacz_version", value: "1.1.1"),
            .init(name: "software", value: "webarc"), .init(name: "created", value: .string(description.created)),
        ]
        let texts = [
            ("title", description.title), ("description", description.text), ("mainPageUrl", description.mainPage),
            ("mainPageDate", description.mainPageDate),
        ]
        for case (let name, let text?) in texts { members.append(.init(name: name, value: .string(text))) }
        members.append(.init(name: "resources", value: .array(resources)))
        let bytes = Array(JSONValue.object(members).line.utf8)
        try zip.add(PackageName.description, SpooledBody(bytes))
        var digest = Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        let hash: JSONValue = ["path": .string(PackageName.description), "hash": .string(digest.label)]
        try zip.add(PackageName.digest, SpooledBody(Array(hash.line.utf8)))
        try zip.finish()
    }

    private func list(_ path: String, _ digest: Digest) {
        let name = path.split(separator: "/").last ?? ""
        resources.append([
            "name": .string(String(name)), "path": .string(path), "hash": .string(digest.label),
            "bytes": .number(digest.length),
        ])
    }

    /// The length and the SHA-256 of bytes that come piece by piece.
    private struct Digest {
        private(set) var length: UInt64 = 0
        private var hash = SHA256()

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            hash.update(bufferPointer: bytes)
            length += UInt64(bytes.count)
        }

        var label: String { "sha256:\(Array(hash.finalize()).hexadecimalDigits)" }
    }

    private final class Running { var digest = Digest() }
}
