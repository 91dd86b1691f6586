// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The names as the system takes and gives them: bytes up to a zero.
enum CString {
    static func with<Value>(_ path: [UInt8], _ work: (UnsafePointer<CChar>) -> Value) -> Value {
        // The array ends with a zero, so it has a base address and an end that the system sees.
        (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { work($0.baseAddress!) }
        }
    }

    /// `start` points to bytes that end with a zero.
    static func bytes(_ start: UnsafeRawPointer) -> [UInt8] {
        let text = start.assumingMemoryBound(to: CChar.self)
        return Array(UnsafeRawBufferPointer(start: start, count: strlen(text)))
    }
}
