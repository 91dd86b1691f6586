// SPDX-License-Identifier: Apache-2.0

/// The keys of the classes of version 1, by class, in the order of this library's writer.
///
/// Specification section 7. A plain number, so that reading a value costs no more than finding its place.
package enum IndexKey: Int, CaseIterable, Sendable {
    case entryRequest, entryURL, entryAnswer, entryTime, entryRole, entryFailure
    case requestMethod, requestHeaders, requestFill, requestBody, requestVersion, requestHead, requestWire
    case responseStatus, responseReason, responseHeaders, responseFill, responseMediaType, responseCharset
    case responseBody, responseModified, responseAddress, responseCodings
    case responseVersion, responseHead, responseWire, responseTruncated, responseAbsent, responseDerived
    case redirectStatus, redirectReason, redirectHeaders, redirectFill, redirectMediaType, redirectCharset
    case redirectBody, redirectModified, redirectAddress, redirectCodings, redirectTarget
    case redirectVersion, redirectHead, redirectWire, redirectTruncated, redirectAbsent, redirectDerived
    case listFirst, listCount
    case fieldName, fieldForm, fieldValue
    case stringText
    case bodyDigest, bodyBlock, bodyOffset, bodyLength
    case blockOffset, blockLength, blockChecksum, blockCoding, blockDictionary
    case dictionaryBody, dictionaryName
    case metadataName, metadataValue, metadataBody
    case keyBlockKeys
    case bucketFirst
    case slotEntry, slotTag
    case recordVersion, recordHeaders, recordFill, recordHead, recordEntry, recordPart, recordBlock, recordEnd
    case pageURL, pageTime, pageTitle, pageText, pageScreenshot, pageStatus, pageSeed, pageDepth

    /// The class of the rows with this key.
    package var owner: IndexClass { Self.declarations[rawValue].owner }
    /// The name in class tables.
    package var name: String { Self.declarations[rawValue].name }
    /// The type of the values.
    package var type: ValueType { Self.declarations[rawValue].type }
    /// The classes that a reference can point to, in the order of its values.
    package var targets: [IndexClass] { Self.declarations[rawValue].targets }
    /// The value in every row if a class table does not list the key.
    package var defaultValue: Int64 { Self.declarations[rawValue].defaultValue }

    /// Whether the key came with version 1.1.
    package var isLater: Bool { owner.isLater || Self.laterKeys.contains(self) }

    private static let laterKeys: Set<IndexKey> = [
        .entryFailure, .requestVersion, .requestHead, .requestWire,
        .responseVersion, .responseHead, .responseWire, .responseTruncated, .responseAbsent, .responseDerived,
        .redirectVersion, .redirectHead, .redirectWire, .redirectTruncated, .redirectAbsent, .redirectDerived,
    ]

    private struct Declaration {
        let owner: IndexClass
        let name: String
        let type: ValueType
        let targets: [IndexClass]
        let defaultValue: Int64

        init(
            _ owner: IndexClass, _ name: String, _ type: ValueType, _ targets: [IndexClass] = [],
            _ defaultValue: Int64 = 0
        ) {
            self.owner = owner
            self.name = name
            self.type = type
            self.targets = targets
            self.defaultValue = defaultValue
        }
    }

    private static let declarations: [Declaration] = [
        .init(.entry, "request", .reference, [.request], 0),
        .init(.entry, "url", .reference, [.string], 0),
        .init(.entry, "answer", .reference, [.response, .redirect], 0),
        .init(.entry, "time", .time),
        .init(.entry, "role", .integer),
        .init(.entry, "failure", .reference, [.string]),
        .init(.request, "method", .reference, [.string], 0),
        .init(.request, "headers", .reference, [.headerList], 0),
        .init(.request, "fill", .reference, [.string], 0),
        .init(.request, "body", .reference, [.body], 0),
        .init(.request, "version", .reference, [.string]),
        .init(.request, "head", .reference, [.body]),
        .init(.request, "wire", .reference, [.body]),
        .init(.response, "status", .integer, [], 200),
        .init(.response, "reason", .reference, [.string], 0),
        .init(.response, "headers", .reference, [.headerList], 0),
        .init(.response, "fill", .reference, [.string], 0),
        .init(.response, "mediaType", .reference, [.string], 0),
        .init(.response, "charset", .reference, [.string], 0),
        .init(.response, "body", .reference, [.body], 0),
        .init(.response, "modified", .time),
        .init(.response, "address", .reference, [.string], 0),
        .init(.response, "codings", .reference, [.string], 0),
        .init(.response, "version", .reference, [.string]),
        .init(.response, "head", .reference, [.body]),
        .init(.response, "wire", .reference, [.body]),
        .init(.response, "truncated", .reference, [.string]),
        .init(.response, "absent", .reference, [.string]),
        .init(.response, "derived", .integer),
        .init(.redirect, "status", .integer, [], 301),
        .init(.redirect, "reason", .reference, [.string], 0),
        .init(.redirect, "headers", .reference, [.headerList], 0),
        .init(.redirect, "fill", .reference, [.string], 0),
        .init(.redirect, "mediaType", .reference, [.string], 0),
        .init(.redirect, "charset", .reference, [.string], 0),
        .init(.redirect, "body", .reference, [.body], 0),
        .init(.redirect, "modified", .time),
        .init(.redirect, "address", .reference, [.string], 0),
        .init(.redirect, "codings", .reference, [.string], 0),
        .init(.redirect, "target", .reference, [.string], 0),
        .init(.redirect, "version", .reference, [.string]),
        .init(.redirect, "head", .reference, [.body]),
        .init(.redirect, "wire", .reference, [.body]),
        .init(.redirect, "truncated", .reference, [.string]),
        .init(.redirect, "absent", .reference, [.string]),
        .init(.redirect, "derived", .integer),
        .init(.headerList, "first", .reference, [.headerField], 0),
        .init(.headerList, "count", .integer),
        .init(.headerField, "name", .reference, [.string], 0),
        .init(.headerField, "form", .integer),
        .init(.headerField, "value", .reference, [.string], 0),
        .init(.string, "text", .text),
        .init(.body, "digest", .bytes),
        .init(.body, "block", .reference, [.block], 0),
        .init(.body, "offset", .integer),
        .init(.body, "length", .integer),
        .init(.block, "offset", .integer),
        .init(.block, "length", .integer),
        .init(.block, "checksum", .integer),
        .init(.block, "coding", .integer),
        .init(.block, "dictionary", .reference, [.dictionary], 0),
        .init(.dictionary, "body", .reference, [.body], 0),
        .init(.dictionary, "name", .reference, [.string], 0),
        .init(.metadata, "name", .reference, [.string], 0),
        .init(.metadata, "value", .reference, [.string], 0),
        .init(.metadata, "body", .reference, [.body], 0),
        .init(.keyBlock, "keys", .text),
        .init(.bucket, "first", .integer),
        .init(.slot, "entry", .integer),
        .init(.slot, "tag", .integer),
        .init(.record, "version", .reference, [.string]),
        .init(.record, "headers", .reference, [.headerList]),
        .init(.record, "fill", .reference, [.string]),
        .init(.record, "head", .reference, [.body]),
        .init(.record, "entry", .reference, [.entry]),
        .init(.record, "part", .integer),
        .init(.record, "block", .reference, [.body]),
        .init(.record, "end", .reference, [.string]),
        .init(.page, "url", .reference, [.string]),
        .init(.page, "time", .time),
        .init(.page, "title", .reference, [.string]),
        .init(.page, "text", .reference, [.body]),
        .init(.page, "screenshot", .reference, [.body]),
        .init(.page, "status", .integer),
        .init(.page, "seed", .integer),
        .init(.page, "depth", .integer),
    ]
}

/// The keys of one class, Response or Redirect, for the values that both classes have. Specification section 7.
package struct AnswerKeys: Sendable {
    package let status, reason, headers, fill, mediaType, charset, body, modified, address, codings: IndexKey
    package let version, head, wire, truncated, absent, derived: IndexKey

    package static let response = AnswerKeys(
        status: .responseStatus, reason: .responseReason, headers: .responseHeaders, fill: .responseFill,
        mediaType: .responseMediaType, charset: .responseCharset, body: .responseBody, modified: .responseModified,
        address: .responseAddress, codings: .responseCodings, version: .responseVersion, head: .responseHead,
        wire: .responseWire, truncated: .responseTruncated, absent: .responseAbsent, derived: .responseDerived)

    package static let redirect = AnswerKeys(
        status: .redirectStatus, reason: .redirectReason, headers: .redirectHeaders, fill: .redirectFill,
        mediaType: .redirectMediaType, charset: .redirectCharset, body: .redirectBody, modified: .redirectModified,
        address: .redirectAddress, codings: .redirectCodings, version: .redirectVersion, head: .redirectHead,
        wire: .redirectWire, truncated: .redirectTruncated, absent: .redirectAbsent, derived: .redirectDerived)
}
