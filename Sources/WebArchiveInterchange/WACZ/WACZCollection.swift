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

    /// The maximum number of parts.
    private static let maximumCount = 100_000
    private static let ending = ".wacz"

    /// Returns whether a description is one of a collection.
    static func isDescribed(by json: JSONValue?) -> Bool { json?["profile"]?.text == "multi-wacz-package" }

    /// Returns whether the name of a member is that of a WACZ file.
    static func isPart(_ name: String) -> Bool { name.asciiLowercased.hasSuffix(ending) }

    /// - Parameters:
    ///   - json: the description; nil without one.
    ///   - members: the names of the WACZ files beside it in a ZIP file.
    /// - Throws: `limitExceeded`.
    init(_ json: JSONValue?, members: Set<String> = []) throws(ArchiveError) {
        var (parts, known) = ([Part](), Set<String>())
        for resource in json?["resources"]?.items ?? [] {
            // A description that was made for a server has URLs as paths, also where the file itself is there.
            let names = ["path", "url", "name"].compactMap { resource[$0]?.text.map(Self.member) }
            guard let name = names.first(where: members.contains) ?? names.first, Self.isPart(Self.fileName(name)),
                known.insert(name).inserted
            else { continue }
            parts.append(Part(path: name, digest: resource["hash"]?.text.flatMap(Self.digits)))
        }
        parts += members.sorted().filter { known.insert($0).inserted }.map { Part(path: $0, digest: nil) }
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

    private static func member(_ path: String) -> String { path.hasPrefix("./") ? String(path.dropFirst(2)) : path }

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
