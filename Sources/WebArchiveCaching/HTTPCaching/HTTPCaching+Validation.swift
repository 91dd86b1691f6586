// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension ArchiveResponse {
    /// The fields of a conditional request that validates this response; empty if it has no validator. RFC 9111 section
    /// 4.3.1.
    ///
    /// Only well-formed values are sent: a stored field may contain any bytes.
    var validationConditions: HeaderFields {
        var conditions = HeaderFields()
        if let tag = entityTag { conditions.append(name: "If-None-Match", value: tag) }
        if let modified = headers["Last-Modified"], FieldDate.nanoseconds(modified) != nil {
            conditions.append(name: "If-Modified-Since", value: modified)
        }
        return conditions
    }

    /// The value of `ETag`; nil if there is none, or a malformed one (RFC 9110 section 8.8.3).
    fileprivate var entityTag: String? { headers.entityTag }
}

extension HTTPCaching {
    /// Returns whether a 304 selects this stored response. RFC 9111 section 4.3.4.
    ///
    /// If the 304 has a strong entity tag, that alone decides; else all of its validators that the response has as
    /// well, at least one. A 304 without any is taken to be about the response whose validators were sent, as many
    /// servers leave them out; the RFC would have it loaded again.
    func isChosen(_ stored: ArchiveResponse, by notModified: HeaderFields) -> Bool {
        let date = FieldDate.sinceEpoch(notModified["Last-Modified"])
        if let tag = notModified.entityTag {
            if !tag.hasPrefix("W/") { return stored.entityTag == tag }
            if let own = stored.entityTag { return own.opaqueTag == tag.opaqueTag }
        } else if date == nil {
            return true
        }
        guard let date else { return false }
        return FieldDate.sinceEpoch(stored.headers["Last-Modified"]) == date
    }

    /// Returns the stored response with the header fields of a 304 in place of its own. RFC 9111 sections 3.2 and 4.3.4.
    ///
    /// Fields of the connection and those that describe the stored bytes do not change. The fields for the age of the old
    /// response are removed: its `Age`, and, if the 304 has none, its `Date`, so that the time of the new record
    /// counts.
    func freshened(_ stored: ArchiveResponse, by notModified: HeaderFields) -> ArchiveResponse {
        var response = stored
        let kept = ConnectionFields.names(of: notModified).union(Self.describingBytes)
        let updates = notModified.filter { !kept.contains($0.name.asciiLowercased) }
        for name in Set(updates.map { $0.name.asciiLowercased }).union(["age", "date"]) {
            response.headers.removeAll(named: name)
        }
        for field in updates { response.headers.append(field) }
        if notModified["Content-Type"] != nil {
            let described = ArchiveResponse(headers: response.headers)
            (response.mediaType, response.charset) = (described.mediaType, described.charset)
        }
        if let modified = notModified["Last-Modified"].flatMap(FieldDate.nanoseconds) {
            response.modified = ArchiveTime(nanoseconds: modified)
        }
        return response
    }

    /// The fields that describe the stored bytes (section 3.2); lower case.
    private static let describingBytes: Set<String> = ["content-length", "content-encoding", "content-range"]
}

extension HeaderFields {
    fileprivate var entityTag: String? {
        guard let value = self["ETag"], value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        var tags = EntityTags(value)
        guard let tag = tags.next(), tag.utf8.count == value.trimmingOptionalWhitespace.utf8.count else { return nil }
        return String(tag)
    }
}

extension String {
    /// An entity tag without its mark of weakness.
    fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
