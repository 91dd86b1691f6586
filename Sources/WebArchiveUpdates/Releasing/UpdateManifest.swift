// SPDX-License-Identifier: Apache-2.0

import WebArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The list of a release folder: the newest edition of an archive, and the patches that lead to it. The signed content of `updates.json`.
///
/// `Spec/updates-1.md` describes the file.
public struct UpdateManifest: Codable, Hashable, Sendable {
    /// A file of the folder.
    public struct File: Codable, Hashable, Sendable {
        /// The name in the folder: letters, digits, `.`, `-` and `_`.
        public var name: String
        /// The length, in bytes.
        public var length: UInt64
        /// The SHA-256, in hexadecimal digits.
        public var sha256: String
    }

    /// An edition of the archive.
    public struct Edition: Codable, Hashable, Sendable {
        /// The number of the edition, from its statement.
        public var sequence: UInt64
        /// The identity by which patches name the archive, in hexadecimal digits.
        public var identity: String
        /// The archive.
        public var file: File
    }

    /// A patch from one edition to a later one.
    public struct Patch: Codable, Hashable, Sendable {
        /// The identity of the archive that it is for.
        public var from: String
        /// The identity of the archive that it produces.
        public var to: String
        /// The SHA-256 of this archive.
        public var sha256: String
        /// The patch.
        public var file: File
    }

    /// The version of the list, 1.
    public var version = 1
    /// The series of which the archives are editions.
    public var series: String
    /// The time at which the list was made, in seconds since 1970.
    public var time: Int64
    /// The time of the expiry of the list, in seconds since 1970; nil for never.
    public var expires: Int64?
    /// The editions of the folder, the newest first; at least one.
    public var editions: [Edition]
    /// The patches of the folder.
    public var patches: [Patch]

    /// The newest edition.
    public var newest: Edition? { editions.first }

    /// The maximum length of `updates.json`, in bytes.
    package static let maximumLength = 1 << 20
    /// The name of the file.
    package static let fileName = "updates.json"

    /// Checks the list against its rules.
    ///
    /// - Throws: `damaged`; `unsupportedVersion` for a later version.
    func check() throws(ArchiveError) {
        guard version == 1 else {
            throw ArchiveError(
                .unsupportedVersion, "the list of updates has version \(version); this program reads version 1")
        }
        guard !editions.isEmpty, editions.count <= 100, patches.count <= 1_000,
            zip(editions, editions.dropFirst()).allSatisfy({ $0.sequence > $1.sequence })
        else { throw .damaged("the list of updates has no editions, too many entries, or editions out of order") }
        for file in editions.map(\.file) + patches.map(\.file) {
            guard Self.isName(file.name), file.length < 1 << 48, Self.isDigest(file.sha256) else {
                throw .damaged("invalid file entry in the list of updates")
            }
        }
        guard editions.allSatisfy({ Self.isDigest($0.identity) }),
            patches.allSatisfy({ Self.isDigest($0.from) && Self.isDigest($0.to) && Self.isDigest($0.sha256) })
        else { throw .damaged("invalid identity in the list of updates") }
    }

    /// Returns whether a text is a SHA-256: 64 hexadecimal digits, lower-case.
    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Returns whether a text is a name with the same meaning in a folder, in a URL and on every file system.
    static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
            }
    }
}
