// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive

/// A pipeline that reads, hashes and compresses on all threads, and performs order-dependent steps on one thread at a time.
///
/// Batches of files are read in any order and recorded in theirs; blocks are compressed in any order and written in theirs. A thread takes
/// the most advanced task: first one that waits for its turn in the order, then a block to compress, then a batch to read. So nothing
/// accumulates, and the result does not depend on the number of threads.
final class PackingPipeline: Sendable {
    /// The state of the work, changed only under the monitor's lock.
    private struct State {
        /// The number of the next batch to read.
        var nextRead = 0
        /// The number of the next batch to record.
        var nextRecord = 0
        /// The batches that were read and not yet recorded, by number.
        var read: [Int: FileBatch] = [:]
        /// The blocks to compress. Those before ``nextJob`` were taken, and are removed from time to time.
        var jobs: [CompressionJob] = []
        /// The place of the first job that no thread has taken.
        var nextJob = 0
        /// The dictionaries that are being made.
        var training: Set<Int32> = []
        /// The dictionaries of blocks that were compressed, for which no other thread is expected to wait.
        var trained: Set<Int32> = [noDictionary]
        /// The number of the next block to write.
        var nextWrite: UInt32 = 0
        /// The compressed blocks that were not yet written, by number.
        var compressed: [UInt32: BlockWorker.Output] = [:]
        /// Whether a thread is in the serial stage, which only one at a time may enter.
        var isSerialBusy = false
        /// Whether all batches were recorded, so that no more jobs come.
        var isRecorded = false
        /// The first error of any thread, at which all of them end.
        var failure: ArchiveError?

        /// The number in a job without a dictionary, which no thread has to make.
        private static let noDictionary: Int32 = -1

        /// The number of blocks that wait to be compressed or to be written. Those that a thread is compressing do not count.
        var unwritten: Int { jobs.count - nextJob + compressed.count }
    }

    /// The next work of a thread.
    private enum Task {
        /// The serial stage, with the next batch, if it was read, and the next blocks. `isLast` is true once, when no batch follows.
        case serial(FileBatch?, [BlockWorker.Output], isLast: Bool)
        case compress(CompressionJob)
        /// The reading of a batch, given by its number.
        case read(Int)
        /// The end of the thread: no work is left, or another thread has failed.
        case end
    }

    /// The batches, in the order of the files.
    private let ranges: [Range<Int>]
    private let tree: SourceTree
    private let urls: SiteURLs
    private let dictionaries: [SharedDictionary]
    private let earlier: StoredArchive?
    private let options: ArchivePacker.Options
    private let blockLength: Int
    /// The buffers of the batches. One returns with its last slice: when its bodies were written or copied, or were stored already.
    private let buffers: BufferPool
    private let monitor = Monitor(State())
    private let serial: SerialStage

    /// Creates a pipeline, and divides the files into batches. No thread starts yet.
    init(
        tree: SourceTree, urls: SiteURLs, dictionaries: [SharedDictionary], earlier: StoredArchive?,
        options: ArchivePacker.Options, blockLength: Int, serial: SerialStage
    ) {
        let plan = BatchPlan(lengths: tree.files.lazy.map(\.length))
        ranges = plan.ranges
        buffers = BufferPool(length: plan.bufferLength)
        self.tree = tree
        self.urls = urls
        self.dictionaries = dictionaries
        self.earlier = earlier
        self.options = options
        self.blockLength = blockLength
        self.serial = serial
    }

    /// Works until all files are packed, on the calling thread and further ones.
    ///
    /// - Throws: the first error of any thread; the others stop at their next task.
    func run() throws(ArchiveError) {
        let threads = max(1, options.threads)
        if threads == 1 {
            work()
        } else {
            DispatchQueue.concurrentPerform(iterations: threads) { _ in work() }
        }
        if let failure = monitor.update({ $0.failure }) { throw failure }
    }

    /// Takes tasks until none is left, or a thread has failed. One worker with its buffers belongs to each thread.
    private func work() {
        let worker = BlockWorker(
            level: options.level, dictionaries: dictionaries, earlier: earlier, blockLength: blockLength)
        while true {
            let task = monitor.wait { state in next(&state) }
            do throws(ArchiveError) {
                switch task {
                case .end:
                    return
                case .serial(let batch, let outputs, let isLast):
                    let jobs = try serial.run(batch: batch, outputs: outputs, isLast: isLast)
                    monitor.update { state in
                        state.jobs.append(contentsOf: jobs)
                        state.isRecorded = state.isRecorded || isLast
                        state.isSerialBusy = false
                    }
                case .compress(let job):
                    let output = try worker.run(job)
                    monitor.update { state in
                        state.compressed[job.block] = output
                        state.training.remove(job.dictionary)
                        state.trained.insert(job.dictionary)
                    }
                case .read(let number):
                    let batch = try FileBatch(
                        ranges[number], of: tree, urls: urls, buffers: buffers, blockLength: blockLength)
                    monitor.update { $0.read[number] = batch }
                }
            } catch {
                monitor.update { state in
                    if state.failure == nil { state.failure = error }
                }
                return
            }
        }
    }

    /// Returns the next task of a thread; nil if it must wait for others.
    ///
    /// No batch is read while more than twice as many batches as threads were read and not recorded, or more than 1,024 blocks wait: this
    /// bounds memory.
    private func next(_ state: inout State) -> Task? {
        if state.failure != nil { return .end }
        if !state.isSerialBusy {
            let outputs = takeOutputs(&state)
            let batch = state.read.removeValue(forKey: state.nextRecord)
            if batch != nil { state.nextRecord += 1 }
            let isLast = state.nextRecord == ranges.count && !state.isRecorded
            if batch != nil || !outputs.isEmpty || isLast {
                state.isSerialBusy = true
                return .serial(batch, outputs, isLast: isLast)
            }
        }
        if let job = takeJob(&state) { return .compress(job) }
        let isFull = state.nextRead - state.nextRecord > 2 * max(1, options.threads) || state.unwritten > 1024
        if state.nextRead < ranges.count, !isFull {
            defer { state.nextRead += 1 }
            return .read(state.nextRead)
        }
        let isDone =
            state.isRecorded && state.jobs.count == state.nextJob && !state.isSerialBusy
            && state.nextWrite == serial.blockCount
        return isDone ? .end : nil
    }

    /// Returns the first block to compress whose dictionary is not just being made by another thread, which would only wait.
    private func takeJob(_ state: inout State) -> CompressionJob? {
        let candidates = state.jobs[state.nextJob...].prefix(Self.lookAhead)
        guard let index = candidates.firstIndex(where: { !state.training.contains($0.dictionary) }) else { return nil }
        let job = state.jobs[index]
        if !state.trained.contains(job.dictionary) { state.training.insert(job.dictionary) }
        if index > state.nextJob {
            state.jobs.remove(at: index)
            return job
        }
        state.nextJob += 1
        // The queue is cut now and then, so that finished jobs do not keep their bytes.
        if state.nextJob >= 64 {
            state.jobs.removeFirst(state.nextJob)
            state.nextJob = 0
        }
        return job
    }

    /// The number of waiting jobs among which one is searched that can start at once.
    private static let lookAhead = 32

    /// Returns the blocks that are next in order for writing.
    private func takeOutputs(_ state: inout State) -> [BlockWorker.Output] {
        var outputs: [BlockWorker.Output] = []
        while let output = state.compressed.removeValue(forKey: state.nextWrite) {
            outputs.append(output)
            state.nextWrite += 1
        }
        return outputs
    }
}
