// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An exchange as it went through the proxy, with its bodies as they were received.
struct CapturedExchange: Sendable {
    /// The request as it was sent to the origin server.
    var request: ArchiveRequest
    /// The content of the request, finished; nil for none.
    var requestBody: SpooledBody?
    var head: ReceivedHead
    /// The content without chunk framing, finished; nil for a response that has none.
    var content: SpooledBody?
    /// The content with its chunk framing and trailer fields, finished; nil without chunks, and where originals are not kept.
    var wire: SpooledBody?
    /// Whether the content had chunk framing.
    var isChunked = false
    /// The time at which the request was sent.
    var time: ArchiveTime
    /// The address of the origin server.
    var address: String?
    /// The reason why the content is not whole: `length`, `time`, `disconnect` or `unspecified`; nil if it is.
    var truncation: String?
    /// A function that is called with the stored form, or with nil if it could not be made.
    var whenStored: (@Sendable (LoadedResponse?) -> Void)?

    /// The number of bytes that wait in memory and in files.
    var length: UInt64 {
        let fields = UInt64(request.headers.count + head.fields.count) * 64
        return (requestBody?.length ?? 0) + (content?.length ?? 0) + (wire?.length ?? 0) + fields + 1024
    }

    /// The number of open files.
    var fileCount: Int { [requestBody, content, wire].count { $0?.isInFile == true } }
}
