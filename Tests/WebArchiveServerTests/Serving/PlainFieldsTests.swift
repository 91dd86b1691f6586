// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import Testing

@testable import WebArchiveServer

@Suite struct PlainFieldsTests {
    /// The client says how long the table of fields may become.
    @Test func noFieldOfAResponseEntersTheTable() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([PlainFields(), HTTP2FramePayloadToHTTP1ServerCodec()])
        let fields: HTTPHeaders = ["Content-Type": "text/plain", "X-A": "1", "x-a": "2"]
        try channel.writeOutbound(
            HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        guard case .headers(let content)? = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) else {
            Issue.record("the first frame has no fields")
            return
        }
        #expect(content.headers.map(\.name) == [":status", "content-type", "x-a", "x-a"])
        #expect(content.headers.map(\.value) == ["200", "text/plain", "1", "2"])
        for (name, _, indexing) in content.headers {
            guard case .nonIndexable = indexing else {
                Issue.record("\(name) is \(indexing)")
                continue
            }
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
