// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// A dictionary that is made by the first thread which needs it.
final class SharedDictionary: Sendable {
    /// The stored purpose of the dictionary.
    let name: [UInt8]?
    /// The row of the dictionary in the earlier edition that it is kept from; nil for a new one.
    let earlierRow: Int?
    /// The level for which the dictionary is prepared.
    private let level: CompressionLevel
    private let make: @Sendable () throws(ArchiveError) -> [UInt8]?
    /// The contents or the error, which all callers get; nil before the first call.
    private let result = Mutex<Result<Contents?, ArchiveError>?>(nil)

    /// A dictionary that was made.
    struct Contents: Sendable {
        /// The bytes, 1 to 65,536, which are stored with the archive.
        let bytes: [UInt8]
        /// The state of a compressor that has read these bytes; threads share it.
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
    ///
    /// The first call makes them. Other threads that call it meanwhile wait.
    ///
    /// - Throws: the error of `make`, for each call.
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
