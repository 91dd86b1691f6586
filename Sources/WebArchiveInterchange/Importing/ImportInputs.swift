// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The files and the options of an import, by which its continuation is recognised.
enum ImportInputs {
    /// The number of bytes at the beginning of a file that are compared.
    private static let startLength = 64 << 10

    /// Returns the MD5 of the lengths, times and beginnings of files, and of the options that change the archive; nil if one is not a regular file.
    static func digest(_ paths: [FilePath], _ options: ArchiveImporter.Options) -> ContentDigest? {
        var text =
            "\(options.keepsOriginals) \(options.appends) \(options.assumedScheme) \(options.baseURL) \(options.level) \(options.usesDictionaries)\n"
        for path in paths {
            guard path != "-", let status = FileStatus(of: path), status.isRegular,
                let file = try? FileByteSource(path: path),
                let start = try? file.bytes(at: 0, count: Int(min(file.length, UInt64(startLength))))
            else { return nil }
            text += "\(status.length) \(status.identity.modified) \(ContentDigest(hashing: start))\n"
        }
        return ContentDigest(hashing: Array(text.utf8))
    }
}
