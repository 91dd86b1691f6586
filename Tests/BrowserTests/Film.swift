// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A video of 20 seconds: red for the first half, blue for the second. In WebM, with a keyframe a second, an index before them,
/// and so much padding that no browser loads it at once.
enum Film {
    static let seconds = 20
    private static let width: UInt64 = 64
    private static let height: UInt64 = 48
    private static let padding = 300_000

    // Keyframes of VP8.
    private static let red = Data(
        base64Encoded:
            "sAMAnQEqQAAwAD7RaK5SKCYkIqKoAQAaCWcA01KAABUaYxw+NiAA/us2//Qmx7UV//0JP/ibP+Js+DmH/ipZiRgO8AAAAA==")!
    private static let blue = Data(
        base64Encoded: "kAMAnQEqQAAwAD7RaK5SKCYkIqKoAQAaCWcA0ugHe7U0+WwoAAD+8JtD/+hJ//xNn/9Js+EV6S6XF2TyWqxv1cNAAAA=")!

    static let bytes: [UInt8] = {
        let header = element(
            0x1A45_DFA3,
            number(0x4286, 1) + number(0x42F7, 1) + number(0x42F2, 4) + number(0x42F3, 8)
                + element(0x4282, Array("webm".utf8)) + number(0x4287, 2) + number(0x4285, 2))
        let duration = withUnsafeBytes(of: (Double(seconds) * 1000).bitPattern.bigEndian) { Array($0) }
        let info = element(
            0x1549_A966,
            number(0x2AD7B1, 1_000_000) + element(0x4489, duration) + element(0x4D80, Array("webarc".utf8))
                + element(0x5741, Array("webarc".utf8)))
        let picture = element(0xE0, number(0xB0, width) + number(0xBA, height))
        let track = number(0xD7, 1) + number(0x73C5, 1) + number(0x83, 1) + element(0x86, Array("V_VP8".utf8))
        let tracks = element(0x1654_AE6B, element(0xAE, track + picture))
        let clusters = (0..<seconds).map(cluster)
        // Every number takes as many bytes as any other, so that the index has its length before it is known.
        let head = info + tracks
        let length = head.count + index(clusters, from: 0).count
        return header + element(0x1853_8067, head + index(clusters, from: length) + clusters.joined())
    }()

    private static func cluster(_ second: Int) -> [UInt8] {
        let frame = second < seconds / 2 ? red : blue
        let block: [UInt8] = [0x81, 0, 0, 0x80] + frame
        return element(
            0x1F43_B675,
            number(0xE7, UInt64(second) * 1000) + element(0xA3, block)
                + element(0xEC, [UInt8](repeating: UInt8(second), count: padding)))
    }

    private static func index(_ clusters: [[UInt8]], from start: Int) -> [UInt8] {
        var place = start
        var points: [UInt8] = []
        for (second, cluster) in clusters.enumerated() {
            let position = element(0xB7, number(0xF7, 1) + number(0xF1, UInt64(place)))
            points += element(0xBB, number(0xB3, UInt64(second) * 1000) + position)
            place += cluster.count
        }
        return element(0x1C53_BB6B, points)
    }

    private static func number(_ id: UInt32, _ value: UInt64) -> [UInt8] {
        element(id, withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }

    /// RFC 8794: an identifier, a length of eight bytes, and content.
    private static func element(_ id: UInt32, _ content: [UInt8]) -> [UInt8] {
        let name = withUnsafeBytes(of: id.bigEndian) { Array($0.drop { $0 == 0 }) }
        let length = withUnsafeBytes(of: (UInt64(content.count) | 1 << 56).bigEndian) { Array($0) }
        return name + length + content
    }
}
