// SPDX-License-Identifier: Apache-2.0

/// The effort of LZ4. A reader need not know it, because every level produces the same coding (specification section 5).
public enum CompressionLevel: Hashable, Sendable, CustomStringConvertible {
    /// The level of LZ4's fast mode with an acceleration of 8: quicker than level 1, larger.
    case fast
    /// A level from 1 to 12: 1 is LZ4's fast mode, 2 to 12 are LZ4HC, each slower and mostly smaller than the one
    /// before.
    case level(Int)

    /// The default level of writers: 1.
    public static let standard = CompressionLevel.level(1)

    /// Reads a level.
    ///
    /// - Parameter text: the text `fast` or a number from 1 to 12; the result is nil for other texts.
    public init?(_ text: String) {
        if text == "fast" {
            self = .fast
        } else if let number = Int(text), (1...12).contains(number) {
            self = .level(number)
        } else {
            return nil
        }
    }

    /// The text that ``init(_:)`` reads.
    public var description: String {
        switch self {
        case .fast: "fast"
        case .level(let number): String(number)
        }
    }

    /// Whether LZ4HC compresses the block.
    var isHighCompression: Bool { if case .level(let number) = self { number > 1 } else { false } }
    /// The acceleration of LZ4's fast mode.
    var acceleration: Int32 { self == .fast ? 8 : 1 }
    /// The level of LZ4HC.
    var highCompressionLevel: Int32 { if case .level(let number) = self { Int32(number) } else { 0 } }
}
