// SPDX-License-Identifier: Apache-2.0

/// The first 96 bytes of an archive. Specification section 3.
///
/// Reserved bytes and optional features are ignored when it is read, and zeros when it is written.
package struct ArchiveHeader: Equatable, Sendable {
    /// The 11 bytes that identify an archive; they show the damage of a text-mode transfer, like PNG's signature.
    static let signature: [UInt8] = [0x89] + Array("WEBARC\r\n\u{1A}\n".utf8)

    /// The exponent *B* of the archive, 12 to 20: a full block decodes to 2 to the power of this, in bytes.
    package var blockExponent: UInt8
    /// The minor version of the writer, which readers may ignore.
    package var minorVersion: UInt8
    /// The two recovery slots, nil where one is unused or damaged.
    package var recoverySlots: [RecoverySlot?]
    /// The numbers of the slots whose checksum is wrong, 0 or 1.
    package private(set) var damagedSlots: [Int] = []

    /// Creates the header of a new archive, with unused slots.
    ///
    /// - Parameter blockExponent: the exponent, 12 to 20, which is not checked.
    package init(blockExponent: UInt8 = FormatLimits.defaultBlockExponent) {
        self.blockExponent = blockExponent
        minorVersion = FormatLimits.minorVersion
        recoverySlots = [nil, nil]
    }

    /// The decoded length of a full block, in bytes: 4 KiB to 1 MiB.
    package var blockLength: Int { 1 << Int(blockExponent) }

    /// Reads a header from the file's first bytes, of which there may be fewer than 96.
    ///
    /// Checks in the order of section 3: signature, length, version, CRC, required features, exponent. A slot that is
    /// damaged is not an error.
    ///
    /// - Throws: `notAnArchive`, `truncated`, `unsupportedVersion`, `damaged` or `unsupportedFeature`, with the offset
    ///   of the field.
    package init(decoding bytes: [UInt8]) throws(ArchiveError) {
        try Self.checkSignature(bytes)
        guard bytes.count >= FormatLimits.headerLength else {
            throw ArchiveError(.truncated, "the file ends within its header", offset: UInt64(bytes.count))
        }
        guard bytes[11] == FormatLimits.majorVersion else {
            throw ArchiveError(
                .unsupportedVersion, "the format version is \(bytes[11]); this program reads version 1", offset: 11)
        }
        var cursor = ByteCursor(bytes, at: 0)
        try cursor.skip(12)
        minorVersion = try cursor.integer()
        blockExponent = try cursor.integer()
        try cursor.skip(2)
        let requiredFeatures: UInt32 = try cursor.integer()
        try cursor.skip(8)
        guard try cursor.integer() == Checksum.of(bytes[..<28]) else {
            throw .damaged("the header does not match its checksum", offset: 0)
        }
        guard requiredFeatures == 0 else {
            throw ArchiveError(.unsupportedFeature, "the archive needs features of a later version", offset: 16)
        }
        guard FormatLimits.blockExponents.contains(blockExponent) else {
            throw .damaged("invalid block exponent \(blockExponent)", offset: 13)
        }
        recoverySlots = []
        for number in 0..<2 {
            let start = 32 + 32 * number
            let slot = bytes[start..<start + RecoverySlot.length]
            let decoded = try RecoverySlot(decoding: Array(slot))
            if decoded == nil, slot.contains(where: { $0 != 0 }) { damagedSlots.append(number) }
            recoverySlots.append(decoded)
        }
    }

    private static func checkSignature(_ bytes: [UInt8]) throws(ArchiveError) {
        let start = bytes.prefix(signature.count)
        guard start.elementsEqual(signature) else {
            throw ArchiveError(.notAnArchive, explanation(of: start), offset: 0)
        }
    }

    /// Describes the damage of a text-mode transfer, which the signature reveals as PNG's does.
    private static func explanation(of start: ArraySlice<UInt8>) -> String {
        if start.isEmpty { return "the file is empty" }
        if signature.starts(with: start) { return "the file ends within its signature" }
        func withoutLineEnds(_ bytes: some Sequence<UInt8>) -> [UInt8] { bytes.filter { $0 != 0x0D && $0 != 0x0A } }
        let (found, expected) = (withoutLineEnds(start), withoutLineEnds(signature))
        if found.starts(with: expected) {
            return "line ends were changed in transfer; transfer the file in binary mode"
        }
        if found.starts(with: expected.map { $0 & 0x7F }) {
            return "the eighth bit was cleared in transfer; transfer the file in binary mode"
        }
        return "not a webarc archive"
    }

    /// Returns the encoded header, 96 bytes.
    package func encoded() -> [UInt8] {
        var sink = ByteSink()
        sink.append(Self.signature)
        sink.integer(FormatLimits.majorVersion)
        sink.integer(minorVersion)
        sink.integer(blockExponent)
        sink.zeros(14)
        sink.checksum()
        for slot in recoverySlots {
            sink.append(slot?.encoded() ?? Array(repeating: 0, count: RecoverySlot.length))
        }
        return sink.bytes
    }
}

/// A record of a whole commit, for the time in which the next one is appended. Specification sections 3 and 9.
package struct RecoverySlot: Equatable, Sendable {
    /// The length of a slot, in bytes.
    package static let length = 32
    /// The offset of the commit's footer, in bytes from the start of the file.
    package let footerOffset: UInt64
    /// The number of the commit, 0 to 1,023.
    package let commitNumber: UInt32

    /// Creates a slot for a commit on disk.
    package init(footerOffset: UInt64, commitNumber: UInt32) {
        self.footerOffset = footerOffset
        self.commitNumber = commitNumber
    }

    /// Reads a slot; nil unless the checksum is right.
    init?(decoding bytes: [UInt8]) throws(ArchiveError) {
        var cursor = ByteCursor(bytes, at: 0)
        footerOffset = try cursor.integer()
        commitNumber = try cursor.integer()
        try cursor.skip(16)
        guard try cursor.integer() == Checksum.of(bytes[..<28]) else { return nil }
    }

    /// Returns the encoded slot, 32 bytes.
    package func encoded() -> [UInt8] {
        var sink = ByteSink()
        sink.integer(footerOffset)
        sink.integer(commitNumber)
        sink.zeros(16)
        sink.checksum()
        return sink.bytes
    }

    /// Returns the offset of the slot that is written before commit `number` is appended: slot (*number* − 1) mod 2.
    ///
    /// - Parameter number: the number, 1 to 1,023.
    package static func offset(beforeCommit number: UInt32) -> UInt64 { 32 + 32 * UInt64((number - 1) % 2) }
}
