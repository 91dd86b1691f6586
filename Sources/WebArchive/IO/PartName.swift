// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// The name of a part of an archive in several files: that of the archive, a dot, and three digits. Specification section 14.
package struct PartName: Sendable {
    /// The name of the whole archive.
    package let archive: FilePath
    /// The number of the part, 1 to 999.
    package let number: Int

    /// The greatest number of a part.
    package static let maximum = 999

    /// Creates the name of a part, of a number from 1 to 999.
    package init(_ number: Int, of archive: FilePath) { (self.archive, self.number) = (archive, number) }

    /// Reads a name; nil for one without the ending of a part.
    package init?(_ path: FilePath) {
        let name = path.string
        let digits = name.utf8.suffix(3)
        guard name.utf8.count > 4, name.utf8.dropLast(3).last == UInt8(ascii: "."),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)), number > 0
        else { return nil }
        let whole = FilePath(String(name.dropLast(4)))
        guard whole.lastComponent != nil, !name.hasSuffix("/") else { return nil }
        self.init(number, of: whole)
    }

    /// The path of the part.
    package var path: FilePath {
        let digits = String(number)
        return FilePath("\(archive.string).\(String(repeating: "0", count: 3 - digits.count))\(digits)")
    }

    /// Returns the path of a different part of the same archive.
    package func path(of number: Int) -> FilePath { PartName(number, of: archive).path }

    /// Whether the file is one of several parts: its first part and one more exist.
    package var isOfSeveral: Bool {
        FileStatus(of: path(of: 1)) != nil && FileStatus(of: path(of: number == 1 ? 2 : number)) != nil
    }

    /// Refuses the path of a part of an archive, because parts are not written to.
    ///
    /// - Throws: `invalidArgument`.
    package static func refuse(_ path: FilePath) throws(ArchiveError) {
        guard let name = PartName(path), name.isOfSeveral else { return }
        throw ArchiveError(
            .invalidArgument, "part \(name.number) of a split archive cannot be changed",
            path: path.string, recovery: .joinParts)
    }
}
