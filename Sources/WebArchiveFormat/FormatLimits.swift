// SPDX-License-Identifier: Apache-2.0

/// Every limit of the format, named. Specification section 10.
///
/// A length that a file claims is checked against one of these before memory is taken for it.
package enum FormatLimits {
    /// The major version that this library reads and writes.
    package static let majorVersion: UInt8 = 1
    /// The minor version that this library writes. Any is read.
    package static let minorVersion: UInt8 = 1
    /// Length of the header, in bytes; the first commit starts there.
    package static let headerLength = 96
    /// Length of a commit's footer, in bytes.
    package static let footerLength = 64
    /// Length of an entry of the section table, in bytes.
    package static let sectionLength = 32
    /// Length of an index page, in bytes, the unit in which the index is checked.
    package static let pageLength = 4096
    /// Offsets are below this.
    package static let maximumFileLength: UInt64 = 1 << 48
    /// Legal block exponents: a full block decodes to 2 to the power of this, in bytes.
    package static let blockExponents: ClosedRange<UInt8> = 12...20
    /// The block exponent that writers use: 256 KiB.
    package static let defaultBlockExponent: UInt8 = 18
    /// Length of the longest block, in bytes, decoded or as it is stored.
    package static let maximumBlockLength = 1 << Int(blockExponents.upperBound)
    /// Longest dictionary, in bytes, which is also LZ4's window.
    package static let maximumDictionaryLength = 65_536
    /// Rows of one class over all commits.
    package static let maximumRowCount: UInt64 = (1 << 32) - 2
    /// Commits of one archive.
    package static let maximumCommitCount: UInt32 = 1024
    /// Sections of one commit.
    package static let maximumSectionCount = 64
    /// Length of a class table, in bytes.
    package static let maximumClassTableLength: UInt64 = 65_536
    /// Classes of a class table, and keys of a class.
    package static let maximumClassCount = 64
    /// Keys of a class.
    package static let maximumKeyCount = 64
    /// Width of a row, in bytes.
    package static let maximumRowWidth = 1024
    /// Classes that a reference can point to.
    package static let maximumTargetCount = 4
    /// Length of a class's or a key's name, in bytes.
    package static let maximumNameLength = 63
    /// Length of a string, in bytes.
    package static let maximumStringLength = 1 << 20
    /// Length of a canonical URL, in bytes.
    package static let maximumKeyLength = 65_535
    /// Fields of one header list.
    package static let maximumFieldCount = 4096
    /// Names and values of one header list together, in bytes.
    package static let maximumFieldListLength = 1 << 24
    /// Names and values of metadata together, in bytes, with 64 for each; a limit of this library (section 10).
    package static let maximumMetadataLength = 1 << 24
    /// Rows of a class in one commit if they have no width, and so take no room in the file.
    package static let maximumZeroWidthRowCount: UInt32 = 65_536
    /// Keys of one key block.
    package static let keysPerBlock = 16
    /// Slots of a bucket beyond which a lookup searches the sorted keys instead.
    package static let maximumBucketScan = 64
}
