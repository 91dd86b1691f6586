// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveInterchange

/// A file that may be compressed by gzip, as sitemaps are.
enum GzipFile {
    /// Returns the bytes without the compression; nil if they are damaged or too long without it.
    static func decoded(_ bytes: [UInt8], maximumLength: Int) -> [UInt8]? {
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        var length = 0
        do throws(ArchiveError) {
            let content = try ReceivedContent(SpooledBody(bytes), ["Content-Encoding": "gzip"]) {
                count throws(ArchiveError) in
                length += count
                guard length <= maximumLength else { throw ArchiveError(.limitExceeded, "a sitemap is too long") }
            }
            return content.removed.isEmpty ? nil : try content.body.bytes(in: 0..<content.body.length)
        } catch {
            return nil
        }
    }
}
