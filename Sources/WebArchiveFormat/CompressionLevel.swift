// SPDX-License-Identifier: Apache-2.0

/// The effort of LZ4.
public enum CompressionLevel: Hashable, Sendable, CustomStringConvertible {
    /// LZ4's fast mode with an acceleration above 1: quicker than level 1, larger.
    case fast
    /// 1 is LZ4's fast mode, 2 to 12 are LZ4HC.
    case level(Int)

    /// The level that writers use by default.
    public static let standard = CompressionLevel.level(1)

    /// Takes `fast` or a number from 1 to 12.
    public init?(_ text: String) {
        if text == "fast" {
            self = .fast
        } else if let number = Int(text), (1...12).contains(number) {
            self = .level(number)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .fast: "fast"
        case .level(let number): String(number)
        }
    }

    var isHighCompression: Bool { if case .level(let number) = self { number > 1 } else { false } }
    var acceleration: Int32 { self == .fast ? 8 : 1 }
    var highCompressionLevel: Int32 { if case .level(let number) = self { Int32(number) } else { 0 } }
}
