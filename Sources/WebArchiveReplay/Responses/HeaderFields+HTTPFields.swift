// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import WebArchive

extension HeaderFields {
    /// Creates the fields of an archive from those of swift-http-types: the same fields in the same order, one for each, in the case of their
    /// names and byte for byte. Costs a copy.
    ///
    /// ```swift
    /// let response = ArchiveResponse(status: head.status.code, headers: HeaderFields(head.headerFields))
    /// ```
    public init(_ fields: HTTPFields) {
        self.init(
            fields.map { field in
                HeaderField(
                    nameBytes: Array(field.name.rawName.utf8),
                    valueBytes: field.withUnsafeBytesOfValue { Array($0) })
            })
    }
}

extension HTTPFields {
    /// Creates the fields of swift-http-types from those of an archive: the same fields in the same order, none joined with another, and so each
    /// `Set-Cookie` separately (RFC 9110 section 5.3). It costs a copy.
    ///
    /// Fields come as they were stored, those of the recorded connection included: ``ReplayResponse`` has those that may be sent.
    ///
    /// - Parameter fields: any fields. One whose name is not a token is left out, and values are made valid, as `HTTPField(_:)` says.
    /// - Precondition: there are fewer than 65,535 fields, the maximum of swift-http-types. An archive holds at most 4,096.
    public init(_ fields: HeaderFields) {
        self.init()
        reserveCapacity(fields.count)
        for field in fields {
            if let field = HTTPField(field) { append(field) }
        }
    }
}

extension HTTPField {
    /// Creates a field of swift-http-types from one of an archive, byte for byte; nil if its name is not a token (RFC 9110 section 5.1).
    ///
    /// - Parameter field: any field. In its value, a space replaces each control character but the tab, so that nothing ends the line, and
    ///   white space around it is removed (section 5.5).
    public init?(_ field: HeaderField) {
        guard let name = Name(field.name) else { return nil }
        self.init(name: name, value: field.valueBytes)
    }
}
