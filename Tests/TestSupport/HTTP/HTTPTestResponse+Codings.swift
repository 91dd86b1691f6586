// SPDX-License-Identifier: Apache-2.0

import Foundation

extension HTTPTestResponse {
    /// The error of creating a response.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The same with its body compressed by gzip, and `Content-Encoding` set.
    public func gzip() throws -> Self {
        let result = try ExternalTool.run(["gzip", "--no-name", "--stdout"], input: Data(body.bytes()))
        guard result.status == 0 else { throw Failure(description: "gzip: \(result.errorText)") }
        return encoded("gzip", Array(result.output))
    }

    /// The same with its body in a Brotli stream, and `Content-Encoding` set.
    ///
    /// The stream has no compressed data: its meta-blocks hold the bytes as they are (RFC 7932 section 9.2).
    public func brotli() -> Self {
        let bytes = body.bytes()
        // WBITS 16.
        var stream = BitWriter(bits: 0, count: 1)
        var position = 0
        while position < bytes.count {
            let length = min(bytes.count - position, 1 << 16)
            // ISLAST, MNIBBLES for four of them, MLEN - 1, ISUNCOMPRESSED, and zeros up to the next byte.
            stream.append(0, count: 1)
            stream.append(0, count: 2)
            stream.append(length - 1, count: 16)
            stream.append(1, count: 1)
            stream.appendBytes(bytes[position..<position + length])
            position += length
        }
        // ISLAST and ISLASTEMPTY.
        stream.append(3, count: 2)
        stream.appendBytes([])
        return encoded("br", stream.bytes)
    }

    private func encoded(_ coding: String, _ bytes: [UInt8]) -> Self {
        field("Content-Encoding", coding).with { $0.body = HTTPTestBody(bytes) }
    }
}

/// Bits from the lowest of each byte on.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var bits: Int
    private var bitCount: Int

    init(bits: Int, count: Int) {
        self.bits = bits
        bitCount = count
    }

    mutating func append(_ value: Int, count: Int) {
        bits |= value << bitCount
        bitCount += count
        while bitCount >= 8 {
            bytes.append(UInt8(bits & 0xFF))
            bits >>= 8
            bitCount -= 8
        }
    }

    /// Fills the byte up with zeros, and continues with whole ones.
    mutating func appendBytes(_ more: some Sequence<UInt8>) {
        if bitCount > 0 { append(0, count: 8 - bitCount) }
        bytes += more
    }
}
