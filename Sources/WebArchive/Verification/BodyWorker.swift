// SPDX-License-Identifier: Apache-2.0

import CWebArchiveKernels
import Crypto
import WebArchiveFormat

/// A worker that checks batches and streams on one thread, with memory that it keeps: about 10 MiB.
struct BodyWorker {
    private let blocks: BlockRows
    private var decoder: BlockRunDecoder
    private var messages: [webarchive_message] = []
    private var digests: [webarchive_md5_digest] = []

    init(_ blocks: BlockRows) {
        self.blocks = blocks
        decoder = BlockRunDecoder(blocks)
    }

    // MARK: - Batches

    /// Decodes the blocks of a batch and computes the digests of its bodies, many at once. Returns nil without findings.
    mutating func check(
        _ batch: BodyPlan.Batch, _ items: [BodyQueue.Item], _ counter: ProgressCounter
    ) -> FindingLog? {
        var log = FindingLog()
        decoder.decode(batch.blocks, length: batch.length, into: &log)
        messages.removeAll(keepingCapacity: true)
        var places: [Int] = []
        var previous: BodyQueue.Item?
        var length = 0
        for item in items[batch.items] {
            length += item.length
            if previous.map(item.hasSameBytes) ?? false, let last = places.last {
                places.append(last)
            } else if let bytes = decoder.bytes(of: item) {
                places.append(messages.count)
                messages.append(
                    webarchive_message(
                        bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length: bytes.count))
            } else {
                places.append(-1)
            }
            previous = item
        }
        if digests.count < messages.count {
            digests.append(contentsOf: repeatElement(webarchive_md5_digest(), count: messages.count - digests.count))
        }
        webarchive_md5_many(messages, messages.count, &digests)
        for (item, place) in zip(items[batch.items], places) where place >= 0 {
            compare(withUnsafeBytes(of: digests[place]) { ContentDigest(rawBytes: $0) }, with: item, into: &log)
        }
        counter.add(length)
        return log.isEmpty ? nil : log
    }

    private func compare(_ digest: ContentDigest, with item: BodyQueue.Item, into log: inout FindingLog) {
        guard let place = blocks.index.place(.body, row: item.row),
            let expected = try? blocks.index.commit(place).digest(Int(place.row)), expected != digest
        else { return }
        log.add(
            VerificationFinding(
                .digestMismatch, .error, "Body \(item.row): the bytes have digest \(digest), expected \(expected)",
                offset: blocks.fileOffset(item.block)),
            concerning: RowNumber(owner: .body, row: item.row))
    }

    // MARK: - Streams

    /// Decodes a long body block by block. Returns nil without a finding.
    mutating func check(_ item: BodyQueue.Item, _ counter: ProgressCounter) -> FindingLog? {
        guard let place = blocks.index.place(.body, row: item.row),
            let body = try? ArchiveBody(place: place, store: blocks.store)
        else { return nil }
        var log = FindingLog()
        var hash = Insecure.MD5()
        let size = blocks.store.blockLength
        // A body in one block starts somewhere in it; one in several starts with them.
        let count = (item.offset + Int(body.length) + size - 1) / size
        let blocksAtOnce = max(1, (1 << 20) / size)
        for start in stride(from: item.block, to: item.block + count, by: blocksAtOnce) {
            let run = start..<min(start + blocksAtOnce, item.block + count)
            decoder.decode(run, length: run.count * size, into: &log)
            let position = UInt64(start - item.block) * UInt64(size)
            let rest = Int(min(body.length - position, UInt64(run.count * size)))
            if let bytes = decoder.bytes(from: start, offset: item.offset, count: rest) {
                hash.update(bufferPointer: bytes)
            }
            counter.add(rest)
        }
        if log.isEmpty {
            compare(hash.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) }, with: item, into: &log)
        }
        return log.isEmpty ? nil : log
    }
}
