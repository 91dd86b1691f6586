// SPDX-License-Identifier: Apache-2.0

import Crypto
import SystemPackage
import WebArchive

/// A WACZ file, version 1.1: a ZIP file with WARC files, lists of pages, and a description.
struct WACZFile {
    /// The ZIP file.
    let zip: ZIPFile
    /// The WARC files, in the order of their names.
    let archives: [ZIPMember]
    /// The lists of pages: the main one first, then the others in the order of their names.
    let pageLists: [ZIPMember]
    /// The faults of the descriptions.
    let damage: [ArchiveError]
    /// The description; nil without a readable one.
    let json: JSONValue?
    /// Whether the file is a collection of WACZ files, which has no WARC files of its own.
    let isCollection: Bool
    /// Whether the file has a signature. It is not checked.
    let isSigned: Bool
    /// The SHA-256 of members by their names, in hexadecimal digits.
    private let digests: [String: String]

    private static let archiveFolder = "archive/"
    private static let archiveEndings = [".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"]
    private static let pagesFolder = "pages/"
    private static let mainList = "pages/pages.jsonl"
    /// The maximum length of a description: it has a line for each member.
    static let maximumDescriptionLength = 16 << 20
    private static let maximumDamageCount = 1_000

    /// Reads the descriptions.
    ///
    /// - Throws: `notAnArchive` for another ZIP file; `io`.
    init(_ zip: ZIPFile) throws(ArchiveError) {
        self.zip = zip
        let names = Set(zip.members.map(\.name))
        let hasArchives = names.contains { $0.hasPrefix(Self.archiveFolder) }
        let hasParts = names.contains { WACZCollection.isPart($0) }
        guard names.contains(PackageName.description) || hasArchives || hasParts else {
            throw ArchiveError(
                .notAnArchive, "a ZIP file that is not a WACZ file: it has neither datapackage.json nor archive/",
                path: zip.source.name)
        }
        let sorted = zip.members.sorted { ($0.name, $0.headerOffset) < ($1.name, $1.headerOffset) }
        archives = sorted.filter { member in
            let name = member.name.asciiLowercased
            return name.hasPrefix(Self.archiveFolder) && Self.archiveEndings.contains { name.hasSuffix($0) }
        }
        let lists = sorted.filter { $0.name.hasPrefix(Self.pagesFolder) && $0.name.hasSuffix(".jsonl") }
        pageLists = lists.filter { $0.name == Self.mainList } + lists.filter { $0.name != Self.mainList }
        var damage: [ArchiveError] = []
        let description = try Self.object(PackageName.description, zip, &damage)
        let digest = try Self.object(PackageName.digest, zip, &damage)
        if let claimed = digest?.json["hash"]?.text.flatMap(Self.digits), let description {
            let found = Array(SHA256.hash(data: description.bytes)).hexadecimalDigits
            if claimed != found {
                damage.append(
                    ArchiveError(
                        .damaged, "the SHA-256 is not that of \(PackageName.digest)",
                        path: Self.path(PackageName.description, in: zip)))
            }
        }
        let json = description?.json
        self.json = json
        // Not all writers name the profile.
        isCollection = WACZCollection.isDescribed(by: json) || hasParts
        let resources = (json?["resources"]?.items ?? []).lazy.compactMap { $0["path"]?.text }
        // Parts of a collection may lie beside it.
        for name in resources.filter({ [isCollection] in !isCollection || !WACZCollection.isPartOrURL($0) })
        where !names.contains(name) && damage.count < Self.maximumDamageCount {
            damage.append(
                ArchiveError(
                    .damaged, "\(PackageName.description) lists a member that the file lacks",
                    path: Self.path(name, in: zip)))
        }
        self.damage = damage
        isSigned = digest?.json["signedData"].map { $0 != .null } ?? false
        digests = (json?["resources"]?.items ?? []).reduce(into: [:]) { digests, resource in
            guard let name = resource["path"]?.text, let hash = resource["hash"]?.text.flatMap(Self.digits) else {
                return
            }
            digests[name] = hash
        }
    }

    /// Returns the digits of a SHA-256 as a description has it; nil for another digest.
    private static func digits(_ hash: String) -> String? {
        hash.hasPrefix("sha256:") ? String(hash.dropFirst("sha256:".count)).asciiLowercased : nil
    }

    /// Reads a member that has a JSON object; nil if there is none.
    private static func object(
        _ name: String, _ zip: ZIPFile, _ damage: inout [ArchiveError]
    ) throws(ArchiveError) -> (bytes: [UInt8], json: JSONValue)? {
        guard let member = zip.members.first(where: { $0.name == name }) else { return nil }
        let path = Self.path(name, in: zip)
        do throws(ArchiveError) {
            let bytes = try zip.bytes(of: member, name: path, maximumLength: UInt64(maximumDescriptionLength))
            return (bytes, try JSONText.value(bytes))
        } catch {
            guard error.code != .io else { throw error }
            damage.append(error.path == nil ? error.at(path: path) : error)
            return nil
        }
    }

    /// Returns the name of a member for errors: that of the file, and its own.
    private static func path(_ name: String, in zip: ZIPFile) -> String { "\(zip.source.name)!\(name.prefix(256))" }

    /// Returns the name of a member for errors.
    func path(of member: ZIPMember) -> FilePath { FilePath(Self.path(member.name, in: zip)) }

    /// Opens a member, whose digest is compared with that of the description while it is read.
    ///
    /// - Throws: as ``ZIPFile/open(_:name:)``.
    func open(_ member: ZIPMember) throws(ArchiveError) -> any ByteInput {
        let input = try zip.open(member, name: Self.path(member.name, in: zip))
        return digests[member.name].map { DigestedInput(input, expected: $0) } ?? input
    }
}

/// The names of the descriptions in a WACZ file.
enum PackageName {
    /// The description of the members.
    static let description = "datapackage.json"
    /// The digest of the description, with a signature if there is one.
    static let digest = "datapackage-digest.json"
}
