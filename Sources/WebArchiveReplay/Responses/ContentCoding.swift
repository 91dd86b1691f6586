// SPDX-License-Identifier: Apache-2.0

import CLibdeflate
import CZstd
import NIOCore
import WebArchive

/// A content coding for sending a response (RFC 9110 section 8.4.1). Bodies are stored without.
///
/// The raw value is the name in `Accept-Encoding` and `Content-Encoding`.
package enum ContentCoding: String, CaseIterable, Sendable {
    /// The coding of RFC 8878, at level 3. It is better and faster than gzip, and preferred if a client gives both the same weight.
    case zstd
    /// The coding of RFC 1952, at level 6 of libdeflate.
    case gzip

    /// Selects the coding that a client prefers; nil for none, and for a field that names neither. `*` does not count as one of them.
    ///
    /// - Parameter accepted: the value of `Accept-Encoding` (RFC 9110 section 12.5.3), of which the first 32 items count.
    /// - Returns: the coding with the greatest weight above 0; zstd before gzip for equal weights.
    init?(accepted: String) {
        var weights: [String: Int] = [:]
        for item in accepted.split(separator: ",").prefix(32) {
            let parts = item.split(separator: ";", maxSplits: 1).map { $0.trimmingOptionalWhitespace }
            guard let name = parts.first.map({ String($0).asciiLowercased }) else { continue }
            // A weight that is malformed counts as 0; of several, the least.
            let weight = parts.count > 1 ? QualityValue.thousandths(parts[1]) ?? 0 : 1000
            weights[name] = min(weight, weights[name] ?? 1000)
        }
        let best = Self.allCases.enumerated().max { left, right in
            let (own, other) = (weights[left.element.rawValue] ?? 0, weights[right.element.rawValue] ?? 0)
            return own == other ? left.offset > right.offset : own < other
        }
        guard let best = best?.element, weights[best.rawValue, default: 0] > 0 else { return nil }
        self = best
    }

    /// Returns the content in this coding; nil if that is not shorter.
    ///
    /// It blocks for the time of coding, and takes as much memory as the content.
    func encoded(_ content: ByteBuffer) -> ByteBuffer? {
        let length = content.readableBytes
        guard length > 1 else { return nil }
        var coded = ByteBuffer()
        content.withUnsafeReadableBytes { source in
            // One byte less than the content has: otherwise there is no gain.
            _ = coded.writeWithUnsafeMutableBytes(minimumWritableBytes: length - 1) { target in
                self.encode(source, into: UnsafeMutableRawBufferPointer(rebasing: target.prefix(length - 1)))
            }
        }
        return coded.readableBytes > 0 ? coded : nil
    }

    /// Encodes into memory of any length; 0 if the result does not fit.
    ///
    /// A failure of the coder counts as a result that does not fit: the content is sent uncoded then.
    private func encode(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .zstd:
            let count = ZSTD_compress(target.baseAddress, target.count, source.baseAddress, source.count, 3)
            return ZSTD_isError(count) == 0 ? count : 0
        case .gzip:
            guard let compressor = libdeflate_alloc_compressor(6) else { return 0 }
            defer { libdeflate_free_compressor(compressor) }
            return libdeflate_gzip_compress(
                compressor, source.baseAddress, source.count, target.baseAddress, target.count)
        }
    }
}
