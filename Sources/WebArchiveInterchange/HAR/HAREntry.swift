// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An item of `log.entries` of a HAR file: its members, and apart from them the strings that are bodies, which may be long.
struct HAREntry {
    /// The content of one message, as the text that the file has.
    struct Content {
        let text: SpooledBody
        /// Whether all bytes of the text are ASCII.
        let isASCII: Bool
    }

    /// The members of the entry, without those of the request and the response.
    private(set) var members = JSONValue.object([])
    private(set) var request = JSONValue.object([])
    private(set) var response = JSONValue.object([])
    /// The text of the request's content; nil if the file has none.
    private(set) var requestContent: Content?
    /// The text of the response's content; nil if the file has none.
    private(set) var responseContent: Content?
    /// The messages of a WebSocket, a line of JSON each; nil without any.
    private(set) var messages: SpooledBody?
    /// The offset in the file at which the entry begins.
    let offset: UInt64

    /// The maximum memory for the members of an entry, in bytes.
    private static let maximumMemory = 16 << 20
    /// The maximum length of a body's text, in bytes.
    private static let maximumTextLength: UInt64 = 16 << 30

    /// Reads an entry.
    ///
    /// - Parameters:
    ///   - hasBegun: whether the beginning of the object was read.
    ///   - begin: a function that is called with the name of the first member.
    /// - Throws: `damaged`, `truncated`, `io`.
    init(_ json: JSONInput, hasBegun: Bool, begin: (String) -> Void) throws(ArchiveError) {
        offset = json.offset
        var budget = Self.maximumMemory
        var found: [JSONValue.Member] = []
        if !hasBegun { try json.beginObject() }
        var isFirst = true
        while let name = try json.nextMember() {
            if isFirst { begin(name) }
            isFirst = false
            switch name {
            case "request" where requestContent == nil:
                (request, requestContent) = try Self.message(json, &budget, content: "postData")
            case "response" where responseContent == nil:
                (response, responseContent) = try Self.message(json, &budget, content: "content")
            case "_webSocketMessages" where messages == nil: messages = try Self.messages(json)
            default: try Self.read(name, json, &budget, into: &found)
            }
        }
        members = .object(found)
    }

    /// Reads a message, and the text of its content.
    ///
    /// - Parameter content: the name of the member that is the content.
    private static func message(
        _ json: JSONInput, _ budget: inout Int, content: String
    ) throws(ArchiveError) -> (JSONValue, Content?) {
        guard try json.isObjectNext() else { return (try json.value(&budget), nil) }
        var members: [JSONValue.Member] = []
        var text: Content?
        try json.beginObject()
        while let name = try json.nextMember() {
            guard name == content, text == nil, try json.isObjectNext() else {
                try read(name, json, &budget, into: &members)
                continue
            }
            var found: [JSONValue.Member] = []
            try json.beginObject()
            while let name = try json.nextMember() {
                if name == "text", text == nil, try json.isStringNext() {
                    text = try spooled(json)
                } else {
                    try read(name, json, &budget, into: &found)
                }
            }
            members.append(JSONValue.Member(name: name, value: .object(found)))
        }
        return (.object(members), text)
    }

    /// Reads a member, if it is one that counts: programs add members of their own, some of them long.
    private static func read(
        _ name: String, _ json: JSONInput, _ budget: inout Int, into members: inout [JSONValue.Member]
    ) throws(ArchiveError) {
        guard !name.hasPrefix("_") || known.contains(name) else { return try json.skipValue() }
        budget -= name.utf8.count
        members.append(JSONValue.Member(name: name, value: try json.value(&budget)))
    }

    /// The members of programs that are read.
    private static let known: Set<String> = ["_error", "_encoding", "_absentDigest", "_truncated"]

    private static func spooled(_ json: JSONInput) throws(ArchiveError) -> Content {
        let text = SpooledBody(maximumLength: maximumTextLength)
        var isASCII = true
        try json.string { piece throws(ArchiveError) in
            if isASCII, !piece.allSatisfy({ $0 < 0x80 }) { isASCII = false }
            try piece.withBytes { (bytes) throws(ArchiveError) in try text.append(bytes) }
        }
        text.finish()
        return Content(text: text, isASCII: isASCII)
    }

    /// Reads the messages of a WebSocket.
    private static func messages(_ json: JSONInput) throws(ArchiveError) -> SpooledBody? {
        guard try json.isArrayNext() else {
            try json.skipValue()
            return nil
        }
        let lines = SpooledBody(maximumLength: maximumTextLength)
        try json.beginArray()
        while try json.nextItem() {
            var budget = maximumMemory
            let line = Array((try json.value(&budget).line + "\n").utf8)
            try line.withBytes { (bytes) throws(ArchiveError) in try lines.append(bytes) }
        }
        lines.finish()
        return lines
    }
}
