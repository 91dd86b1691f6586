// SPDX-License-Identifier: Apache-2.0

/// Which files are read and hashed together; follows from the files alone.
struct BatchPlan: Sendable {
    /// The most bytes of a batch. A file with more is hashed first, and read once more when it is compressed.
    let length: UInt64
    let ranges: [Range<Int>]

    /// Large batches give MD5 many files at once, small ones let all threads start early and end together.
    private static let lengths: ClosedRange<UInt64> = 4 << 20...8 << 20
    private static let batchesAtLeast: UInt64 = 32
    private static let filesAtMost = 1024

    init(_ files: [SourceFile]) {
        let total = files.reduce(0) { $0 + $1.length }
        length = min(max(total / Self.batchesAtLeast, Self.lengths.lowerBound), Self.lengths.upperBound)
        var ranges: [Range<Int>] = []
        var start = 0
        var sum: UInt64 = 0
        for (number, file) in files.enumerated() {
            let isLarge = file.length > length
            if number > start, isLarge || sum + file.length > length || number - start == Self.filesAtMost {
                ranges.append(start..<number)
                (start, sum) = (number, 0)
            }
            sum += file.length
        }
        if start < files.count { ranges.append(start..<files.count) }
        self.ranges = ranges
    }
}
