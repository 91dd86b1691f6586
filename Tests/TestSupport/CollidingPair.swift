// SPDX-License-Identifier: Apache-2.0

/// Two messages with one MD5, published by Wang, Feng, Lai and Yu in 2004 (eprint 2004/199).
public enum CollidingPair {
    public static let first: [UInt8] = bytes(
        "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89"
            + "55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b"
            + "d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
            + "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70")

    public static let second: [UInt8] = {
        var bytes = first
        for position in [19, 45, 59, 83, 109, 123] { bytes[position] ^= 0x80 }
        return bytes
    }()

    public static let digest = "79054025255fb1a26e4bc422aef54eb4"

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
