// SPDX-License-Identifier: Apache-2.0

// The standard library's versions of these pass on errors as `any Error`.

extension [UInt8] {
    /// Calls `withUnsafeBytes` for work with a typed error.
    @inlinable
    package func withBytes<Value>(
        _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value {
        try withUnsafeBufferPointer { (buffer) throws(ArchiveError) in try work(UnsafeRawBufferPointer(buffer)) }
    }
}

extension [UInt8] {
    /// Calls `withUnsafeMutableBytes` for work with a typed error.
    @inlinable
    package mutating func withMutableBytes<Value>(
        _ work: (UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value {
        try withUnsafeMutableBufferPointer { (buffer) throws(ArchiveError) in
            try work(UnsafeMutableRawBufferPointer(buffer))
        }
    }
}

extension Optional {
    /// Calls `map` for a transformation with a typed error.
    @inlinable
    package func mapTyped<Value>(
        _ transform: (Wrapped) throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value? {
        switch self {
        case .some(let wrapped): try transform(wrapped)
        case .none: nil
        }
    }
}
