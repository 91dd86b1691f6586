// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// A dictionary that is made by the first thread which needs it.
final class SharedDictionary: Sendable {
    /// The stored purpose of the dictionary.
    let name: [UInt8]?
    /// The row of the dictionary in the earlier edition that it is kept from; nil for a new one.
    let earlierRow: Int?
    private let level: CompressionLevel
    private let make: @Sendable () throws(ArchiveError) -> [UInt8]?
    private let result = Mutex<Result<Contents?, ArchiveError>?>(nil)

    struct Contents: Sendable {
        let bytes: [UInt8]
        let prepared: PreparedDictionary
    }

    /// - Parameter make: a function that returns the bytes; nil if no dictionary helps.
    init(
        name: [UInt8]?, level: CompressionLevel, earlierRow: Int? = nil,
        make: @escaping @Sendable () throws(ArchiveError) -> [UInt8]?
    ) {
        (self.name, self.level, self.earlierRow, self.make) = (name, level, earlierRow, make)
    }

    /// Returns the contents; nil if no dictionary helps.
    func contents() throws(ArchiveError) -> Contents? {
        // The pipeline assigns other work to other threads meanwhile; a thread that arrives here anyway would wait.
        let made = result.withLock { result in
            if let result { return result }
            let made = Result { () throws(ArchiveError) -> Contents? in
                try make().map { bytes in Contents(bytes: bytes, prepared: PreparedDictionary(bytes, level: level)) }
            }
            result = made
            return made
        }
        return try made.get()
    }
}
