// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import WebArchive

/// A record of the messages of a WebSocket: a line of JSON each, with the members that browsers write into HAR files (`_webSocketMessages`).
struct WebSocketRecord {
    private var sent = WebSocketFrames()
    private var received = WebSocketFrames()

    /// Returns the lines of the messages that end in some bytes.
    mutating func lines(_ bytes: ByteBuffer, fromClient: Bool) -> [UInt8] {
        let messages = fromClient ? sent.add(bytes) : received.add(bytes)
        var lines: [UInt8] = []
        for message in messages {
            let isText = message.opcode == 1
            let data = isText ? String(decoding: message.data, as: UTF8.self) : Data(message.data).base64EncodedString()
            var members: [JSONValue.Member] = [
                JSONValue.Member(name: "type", value: .string(fromClient ? "send" : "receive")),
                JSONValue.Member(name: "time", value: .double(Double(ArchiveTime.now().nanoseconds) / 1e9)),
                JSONValue.Member(name: "opcode", value: .integer(Int64(message.opcode))),
                JSONValue.Member(name: "data", value: .string(data)),
            ]
            if message.isCut { members.append(JSONValue.Member(name: "truncated", value: .bool(true))) }
            lines += JSONValue.object(members).line.utf8
            lines.append(0x0A)
        }
        return lines
    }
}
