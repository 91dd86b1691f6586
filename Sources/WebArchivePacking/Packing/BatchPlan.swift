// SPDX-License-Identifier: Apache-2.0

/// The division of files into batches that are read and hashed together; it depends only on the files.
struct BatchPlan: Sendable {
    /// The maximum length of a batch, in bytes. A longer file is hashed first, and read again when it is compressed.
    let length: UInt64
    /// The length of the longest batch: much less than the maximum if the files are tiny.
    let bufferLength: Int
    /// The batches: consecutive ranges of file numbers, from 0 on and without gaps.
    let ranges: [Range<Int>]

    /// Large batches hash many files at once, small ones let all threads start early and end together.
    private static let lengths: ClosedRange<UInt64> = 4 << 20...8 << 20
    /// The divisor of the total length for the length of a batch, so that a site of 128 MiB or more has at least as many batches.
    private static let batchesAtLeast: UInt64 = 32
    /// The maximum number of files of a batch: tiny files take more time than their bytes suggest, and progress is reported by the batch.
    private static let filesAtMost = 1024

    /// Divides the files in their order: a batch ends before the file that would make it too long, and after 1,024 files. A file that is
    /// longer alone is a batch of its own.
    init(lengths fileLengths: some Collection<UInt64>) {
        let total = fileLengths.reduce(0, +)
        let length = min(max(total / Self.batchesAtLeast, Self.lengths.lowerBound), Self.lengths.upperBound)
        var ranges: [Range<Int>] = []
        var start = 0
        var (sum, longest) = (UInt64(0), UInt64(0))
        func end(at end: Int) {
            guard end > start else { return }
            ranges.append(start..<end)
            if sum <= length { longest = max(longest, sum) }
            (start, sum) = (end, 0)
        }
        for (number, fileLength) in fileLengths.enumerated() {
            if fileLength > length || sum + fileLength > length || number - start == Self.filesAtMost {
                end(at: number)
            }
            sum += fileLength
        }
        end(at: fileLengths.count)
        self.length = length
        self.ranges = ranges
        bufferLength = Int(longest)
    }
}
