// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A conversion of names to and from the system's form: bytes up to a zero.
enum CString {
    /// Calls a function with a path as the system takes it. The pointer is valid only during the call.
    ///
    /// The path must hold no zero, which would end it early: it comes from the system, or ``FileNameRules`` has checked it.
    static func with<Value>(_ path: [UInt8], _ work: (UnsafePointer<CChar>) -> Value) -> Value {
        // The array ends with a zero, so it has a base address and an end that the system sees.
        (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { work($0.baseAddress!) }
        }
    }

    /// Returns the bytes before the zero that ends `start`.
    static func bytes(_ start: UnsafeRawPointer) -> [UInt8] {
        let text = start.assumingMemoryBound(to: CChar.self)
        return Array(UnsafeRawBufferPointer(start: start, count: strlen(text)))
    }
}
