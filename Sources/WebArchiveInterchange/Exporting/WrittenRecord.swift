// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A record that was written, as an index describes it.
struct WrittenRecord {
    let url: String
    let time: ArchiveTime
    /// The media type of the content; nil if it is unknown.
    var mediaType: String?
    /// The status of the response; nil for a record without one.
    var status: Int?
    /// The digest of the payload, as a label.
    var digest: String?
    /// The request, if it is more than a GET.
    var request: (method: String, query: String)?
    /// The offset in the file, and the length there, in bytes.
    var offset: UInt64 = 0
    var length: UInt64 = 0

    init(url: String, time: ArchiveTime?) { (self.url, self.time) = (url, time ?? .unknownInExports) }
}
