// SPDX-License-Identifier: Apache-2.0

import Benchmark
import CWebArchiveKernels
import Crypto

/// Bodies of 2 to 40 KiB, about 16 MiB in all.
private final class Bodies: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    let messages: [webarchive_message]
    var digests: [webarchive_md5_digest]

    init(_ text: [UInt8]) {
        bytes = .allocate(byteCount: text.count, alignment: 64)
        bytes.copyBytes(from: text)
        var messages: [webarchive_message] = []
        var start = 0
        while start < bytes.count {
            let length = min(2048 + messages.count * 7919 % 38_912, bytes.count - start)
            messages.append(
                webarchive_message(
                    bytes: (bytes.baseAddress! + start).assumingMemoryBound(to: UInt8.self), length: length))
            start += length
        }
        self.messages = messages
        digests = Array(repeating: webarchive_md5_digest(), count: messages.count)
    }

    deinit { bytes.deallocate() }
}

func digestBenchmarks(_ fixture: Fixture) {
    Benchmark("MD5 of many bodies", configuration: timed()) { (_, bodies: Bodies) throws in
        webarchive_md5_many(bodies.messages, bodies.messages.count, &bodies.digests)
    } setup: {
        Bodies(fixture.text)
    }
    Benchmark("MD5 of many bodies, one at a time by swift-crypto", configuration: timed()) {
        (_, bodies: Bodies) throws in
        for message in bodies.messages {
            var hash = Insecure.MD5()
            hash.update(bufferPointer: UnsafeRawBufferPointer(start: message.bytes, count: message.length))
            blackHole(hash.finalize())
        }
    } setup: {
        Bodies(fixture.text)
    }
}
