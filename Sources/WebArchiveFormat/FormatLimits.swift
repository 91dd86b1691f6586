// SPDX-License-Identifier: Apache-2.0

/// The limits of the format. Specification section 10.
///
/// A length that a file claims is checked against one of these before memory is taken for it.
package enum FormatLimits {
    /// The major version that this library reads and writes.
    package static let majorVersion: UInt8 = 1
    /// The minor version that this library writes. It reads all minor versions.
    package static let minorVersion: UInt8 = 1
    /// The length of the header, in bytes; the first commit starts there.
    package static let headerLength = 96
    /// The length of a commit's footer, in bytes.
    package static let footerLength = 64
    /// The length of an entry of the section table, in bytes.
    package static let sectionLength = 32
    /// The length of an index page, in bytes, the unit in which the index is checked.
    package static let pageLength = 4096
    /// The exclusive upper bound of offsets.
    package static let maximumFileLength: UInt64 = 1 << 48
    /// The legal block exponents: a full block decodes to 2 to the power of this, in bytes.
    package static let blockExponents: ClosedRange<UInt8> = 12...20
    /// The block exponent that writers use by default: 256 KiB.
    package static let defaultBlockExponent: UInt8 = 18
    /// The maximum length of a block, in bytes, decoded or stored.
    package static let maximumBlockLength = 1 << Int(blockExponents.upperBound)
    /// The maximum length of a dictionary, in bytes, which is also LZ4's window.
    package static let maximumDictionaryLength = 65_536
    /// The maximum number of rows of one class over all commits.
    package static let maximumRowCount: UInt64 = (1 << 32) - 2
    /// The maximum number of commits of one archive.
    package static let maximumCommitCount: UInt32 = 1024
    /// The maximum number of sections of one commit.
    package static let maximumSectionCount = 64
    /// The maximum length of a class table, in bytes.
    package static let maximumClassTableLength: UInt64 = 65_536
    /// The maximum number of classes of a class table.
    package static let maximumClassCount = 64
    /// The maximum number of keys of a class.
    package static let maximumKeyCount = 64
    /// The maximum width of a row, in bytes.
    package static let maximumRowWidth = 1024
    /// The maximum number of classes that a reference can point to.
    package static let maximumTargetCount = 4
    /// The maximum length of a class's or a key's name, in bytes.
    package static let maximumNameLength = 63
    /// The maximum length of a string, in bytes.
    package static let maximumStringLength = 1 << 20
    /// The maximum length of a canonical URL, in bytes.
    package static let maximumKeyLength = 65_535
    /// The maximum number of fields of one header list.
    package static let maximumFieldCount = 4096
    /// The maximum total length of names and values of one header list, in bytes.
    package static let maximumFieldListLength = 1 << 24
    /// The maximum total length of names and values of metadata, in bytes, with 64 for each; a limit of this library (section 10).
    package static let maximumMetadataLength = 1 << 24
    /// The maximum number of rows without width, which take no space in the file, of a class in one commit.
    package static let maximumZeroWidthRowCount: UInt32 = 65_536
    /// The number of keys of one key block.
    package static let keysPerBlock = 16
    /// The maximum number of slots of a bucket; a lookup searches the sorted keys instead beyond it.
    package static let maximumBucketScan = 64
}
