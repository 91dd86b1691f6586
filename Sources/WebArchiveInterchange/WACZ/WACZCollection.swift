// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The list of the WACZ files of which a collection consists: a description with the profile `multi-wacz-package`.
///
/// Browsertrix writes a collection of several crawls as a ZIP file with the description and the WACZ files in it. Other writers have them beside the
/// description, which may also be a file by itself, or in the net.
struct WACZCollection {
    /// A WACZ file of the collection.
    struct Part {
        /// The place: the name of a member, a path from the folder of the description, or a URL.
        let path: String
        /// The SHA-256, in hexadecimal digits of lower case; nil for none.
        let digest: String?
    }

    /// The parts, in the order of the description; those that it lacks follow, in the order of their names.
    let parts: [Part]
    /// The resources that are not WACZ files.
    let others: [String]

    /// The maximum number of parts.
    private static let maximumCount = 100_000
    private static let ending = ".wacz"
    /// The maximum length of a path, in bytes: that of Linux.
    private static let maximumPathLength = 4096

    /// Returns whether a description is one of a collection.
    static func isDescribed(by json: JSONValue?) -> Bool { json?["profile"]?.text == "multi-wacz-package" }

    /// Returns whether the name of a member is that of a WACZ file.
    static func isPart(_ name: String) -> Bool {
        name.utf8.count >= ending.utf8.count
            && String(decoding: name.utf8.suffix(ending.utf8.count), as: UTF8.self).asciiLowercased == ending
    }

    /// Returns whether a path of a description, which may be a URL, is that of a WACZ file.
    static func isPartOrURL(_ path: String) -> Bool { isPart(fileName(path)) }

    /// - Parameters:
    ///   - json: the description; nil without one.
    ///   - members: the names of the WACZ files beside it in a ZIP file.
    /// - Throws: `limitExceeded`.
    init(_ json: JSONValue?, members: [ZIPMember] = []) throws(ArchiveError) {
        // By bytes: texts that Unicode takes for the same are names of different files, and comparing texts can take long.
        let members = Set(members.map { Array($0.name.utf8) })
        var (parts, others, known) = ([Part](), [String](), Set<[UInt8]>())
        for resource in json?["resources"]?.items ?? [] {
            // A description that was made for a server has URLs as paths, also where the file itself is there.
            let names = ["path", "url", "name"].compactMap { resource[$0]?.text.map(Self.member) }
            if let long = names.first(where: { $0.utf8.count > Self.maximumPathLength }) {
                throw ArchiveError(
                    .limitExceeded,
                    "a part with a path of \(long.utf8.count) bytes; the limit is \(Self.maximumPathLength)")
            }
            let own = names.first { members.contains(Array($0.utf8)) }
            guard let name = own ?? names.first else { continue }
            guard Self.isPartOrURL(name) else {
                others.append(name)
                continue
            }
            // One file has several paths, such as those with two slashes.
            let key = own ?? ((try? CanonicalURL(name)) == nil ? FilePath(name).string : name)
            guard known.insert(Array(key.utf8)).inserted else { continue }
            parts.append(Part(path: name, digest: resource["hash"]?.text.flatMap(Self.digits)))
        }
        self.others = others
        parts += members.subtracting(known).sorted { $0.lexicographicallyPrecedes($1) }.map {
            Part(path: String(decoding: $0, as: UTF8.self), digest: nil)
        }
        guard parts.count <= Self.maximumCount else {
            throw ArchiveError(
                .limitExceeded, "a collection of \(parts.count) WACZ files; the limit is \(Self.maximumCount)")
        }
        self.parts = parts
    }

    /// Returns a path, or a URL without query and fragment.
    private static func fileName(_ path: String) -> String {
        (try? CanonicalURL(path)) == nil ? path : String(path.prefix { $0 != "?" && $0 != "#" })
    }

    private static func member(_ path: String) -> String {
        path.utf8.starts(with: "./".utf8) ? String(decoding: path.utf8.dropFirst(2), as: UTF8.self) : path
    }

    /// Returns the digits of a SHA-256, which older writers have without its name; nil for another digest.
    private static func digits(_ hash: String) -> String? {
        let digits = (hash.hasPrefix("sha256:") ? String(hash.dropFirst("sha256:".count)) : hash).asciiLowercased
        let isDigest =
            digits.utf8.count == 64
            && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isDigest ? digits : nil
    }
}

extension WACZCollection.Part {
    /// Whether the part is in the net.
    var isRemote: Bool { (try? CanonicalURL(path)) != nil }

    /// Returns the path of the part as a file; nil for one outside the folder: any author can write a description.
    func file(in folder: FilePath) -> FilePath? {
        guard !isRemote, !path.isEmpty, !path.utf8.contains(0) else { return nil }
        let relative = FilePath(path)
        guard relative.isRelative, relative.components.allSatisfy({ $0.kind == .regular }) else { return nil }
        return folder.appending(relative.components)
    }
}
