// SPDX-License-Identifier: Apache-2.0

/// The blocks of an archive that cannot be read, of which a hostile archive can have any number.
struct DamagedBlocks {
    /// The numbers of the blocks, in ascending order.
    private var numbers: [UInt32] = []
    /// The errors of the first ones.
    private var errors: [ArchiveError] = []

    /// The number of errors that are kept.
    private static let errorLimit = 1_000
    private static let other = ArchiveError.damaged("a block cannot be read")

    var isEmpty: Bool { numbers.isEmpty }

    /// Adds a block, the number of which is greater than those of all others.
    mutating func append(_ block: Int, _ error: ArchiveError) {
        numbers.append(UInt32(block))
        if errors.count < Self.errorLimit { errors.append(error) }
    }

    /// Returns the error of the first damaged block of a range; nil if none is damaged. Beyond the first thousand errors, one without a place.
    func firstError(in blocks: Range<Int>) -> ArchiveError? {
        let place = numbers.indices.partitioningIndex { Int(numbers[$0]) >= blocks.lowerBound }
        guard place < numbers.count, Int(numbers[place]) < blocks.upperBound else { return nil }
        return place < errors.count ? errors[place] : Self.other
    }
}
