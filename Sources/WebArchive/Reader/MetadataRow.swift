// SPDX-License-Identifier: Apache-2.0

/// A value of the archive's metadata, as it is stored. Specification section 7, "Metadata".
package struct MetadataRow: Sendable {
    package let nameBytes: [UInt8]
    /// The value, where it is text.
    package var text: [UInt8]?
    /// The value, where it is a body.
    package var body: ArchiveBody?
}
