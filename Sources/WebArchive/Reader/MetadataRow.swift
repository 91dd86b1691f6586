// SPDX-License-Identifier: Apache-2.0

/// A stored value of the archive's metadata. Specification section 7, "Metadata".
package struct MetadataRow: Sendable {
    /// The name, which should be UTF-8.
    package let nameBytes: [UInt8]
    /// The value, if it is text; neither this nor ``body`` if the row removes the name.
    package var text: [UInt8]?
    /// The value, if it is a body.
    package var body: ArchiveBody?
}
