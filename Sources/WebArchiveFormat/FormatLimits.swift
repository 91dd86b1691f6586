// SPDX-License-Identifier: Apache-2.0

/// Every limit of the format, named. Specification section 10.
///
/// A length that a file claims is held against one of these before memory is taken for it.
public enum FormatLimits {
    /// The major version that this library reads and writes.
    public static let majorVersion: UInt8 = 1
    /// Length of the header, in bytes; the first commit starts there.
    public static let headerLength = 96
    /// Length of a commit's footer, in bytes.
    public static let footerLength = 64
    /// Length of an entry of the section table, in bytes.
    public static let sectionLength = 32
    /// Length of an index page, in bytes, the unit in which the index is checked.
    public static let pageLength = 4096
    /// Offsets are below this.
    public static let maximumFileLength: UInt64 = 1 << 48
    /// Legal block exponents: a full block decodes to 2 to the power of this, in bytes.
    public static let blockExponents: ClosedRange<UInt8> = 12...20
    /// The block exponent that writers use: 256 KiB.
    public static let defaultBlockExponent: UInt8 = 18
    /// Longest dictionary, in bytes, which is also LZ4's window.
    public static let maximumDictionaryLength = 65_536
    /// Rows of one class over all commits.
    public static let maximumRowCount: UInt64 = (1 << 32) - 2
    /// Commits of one archive.
    public static let maximumCommitCount: UInt32 = 1024
    /// Sections of one commit.
    public static let maximumSectionCount = 64
    /// Length of a class table, in bytes.
    public static let maximumClassTableLength: UInt64 = 65_536
    /// Classes of a class table, and keys of a class.
    public static let maximumClassCount = 64
    /// Keys of a class.
    public static let maximumKeyCount = 64
    /// Width of a row, in bytes.
    public static let maximumRowWidth = 1024
    /// Classes that a reference can point to.
    public static let maximumTargetCount = 4
    /// Length of a class's or a key's name, in bytes.
    public static let maximumNameLength = 63
    /// Length of a string, in bytes.
    public static let maximumStringLength = 1 << 20
    /// Length of a canonical URL, in bytes.
    public static let maximumKeyLength = 65_535
    /// Fields of one header list.
    public static let maximumFieldCount = 4096
    /// Names and values of one header list together, in bytes.
    public static let maximumFieldListLength = 1 << 24
    /// Names and values of metadata together, in bytes, with 64 for each; a limit of this library (section 10).
    public static let maximumMetadataLength = 1 << 24
    /// Rows of a class in one commit if they have no width, and so take no room in the file.
    public static let maximumZeroWidthRowCount: UInt32 = 65_536
    /// Keys of one key block.
    public static let keysPerBlock = 16
    /// Slots of a bucket beyond which a lookup searches the sorted keys instead.
    public static let maximumBucketScan = 64
}
