// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WebArchiveFormat

/// A queue of blocks that other threads compress while more blocks come.
///
/// Blocks are appended in the order in which they came, and each when a certain number of others has come after it: the archive is the same
/// for any number of threads.
final class CompressionQueue {
    /// A dictionary of the archive.
    struct Dictionary: Sendable {
        /// The number, from 1 through all commits.
        let number: UInt32
        let prepared: PreparedDictionary
    }

    /// A thread with a compressor of its own, which does one job after another.
    private final class Worker: @unchecked Sendable {
        // Only the queue uses the compressor, for one job at a time.
        private let compressor: BlockCompressor
        private let queue = DispatchQueue(label: "webarc.compression")

        init(_ level: CompressionLevel) { compressor = BlockCompressor(level: level) }

        func start(_ job: Job) {
            queue.async { [self] in job.finish(CompressedBlock(job.bytes, job.dictionary, compressor)) }
        }
    }

    /// A block to compress.
    private final class Job: Sendable {
        let bytes: [UInt8]
        let dictionary: Dictionary?
        private let result = Mutex<CompressedBlock?>(nil)
        private let end = DispatchSemaphore(value: 0)

        init(_ bytes: [UInt8], _ dictionary: Dictionary?) { (self.bytes, self.dictionary) = (bytes, dictionary) }

        func finish(_ block: CompressedBlock) {
            result.withLock { $0 = block }
            end.signal()
        }

        func block() -> CompressedBlock {
            end.wait()
            return result.withLock { $0! }  // It was set before the signal.
        }
    }

    private let builder: CommitBuilder
    /// The workers so far: most commits of a recording need one at most, and each takes a megabyte.
    private var workers: [Worker] = []
    private let threads: Int
    private var jobs: [(job: Job, use: (UInt32) -> Void)] = []
    private var count = 0

    /// The number of blocks that wait, which is the same for any number of threads.
    private static let length = 16

    /// - Parameter threads: the number of threads beside the calling one; less than 1 counts as 1.
    init(_ builder: CommitBuilder, threads: Int) {
        self.builder = builder
        self.threads = min(max(1, threads), Self.length)
    }

    /// Adds a block, of at most the archive's block length.
    ///
    /// - Parameter use: a function that gets the number of the block in this commit, once it is appended.
    func add(
        _ bytes: [UInt8], _ dictionary: Dictionary?, use: @escaping (UInt32) -> Void
    ) throws(ArchiveError) {
        let job = Job(bytes, dictionary)
        let number = count % threads
        if number == workers.count { workers.append(Worker(builder.options.level)) }
        workers[number].start(job)
        count += 1
        jobs.append((job, use))
        if jobs.count > Self.length { try appendFirst() }
    }

    /// Appends the blocks that wait.
    func finish() throws(ArchiveError) { while !jobs.isEmpty { try appendFirst() } }

    private func appendFirst() throws(ArchiveError) {
        let (job, use) = jobs.removeFirst()
        use(try job.block().append(to: builder))
    }
}
