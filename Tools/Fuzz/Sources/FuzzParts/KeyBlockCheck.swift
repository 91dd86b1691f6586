// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchiveFormat

/// Key blocks: keys that are built and keys that are only compared must agree. Specification section 8.3.
enum KeyBlockCheck {
    static func run(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let target = cut(&rest)
        let block = Array(rest)
        var keys: [[UInt8]] = []
        block.withUnsafeBytes { block in
            for item in 0..<FormatLimits.keysPerBlock {
                guard let key = try? KeyBlock.key(item, of: block) else {
                    let order = target.withUnsafeBytes { try? KeyBlock.compare(item, of: block, with: $0) }
                    expect(order == nil, "an item that is damaged and yet compares")
                    return
                }
                expect(key.count <= FormatLimits.maximumKeyLength, "a key of \(key.count) bytes")
                keys.append(key)
                for other in [target, key, keys[0], Array(key.dropLast())] {
                    let order = other.withUnsafeBytes { try? KeyBlock.compare(item, of: block, with: $0) }
                    expect(order?.signum() == sign(key, other), "item \(item) compares as \(order ?? 0)")
                }
            }
        }
        checkAgain(keys)
    }

    private static func sign(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    /// The keys, written as a block of their own, are read again.
    private static func checkAgain(_ keys: [[UInt8]]) {
        var block: [UInt8] = []
        var before: [UInt8] = []
        for key in keys {
            key.withUnsafeBytes { key in
                before.withUnsafeBytes { KeyBlock.append(key, after: $0, to: &block) }
            }
            before = key
        }
        for (item, key) in keys.enumerated() {
            expect(block.withUnsafeBytes { try? KeyBlock.key(item, of: $0) } == key, "a key that changes when written")
        }
    }
}
