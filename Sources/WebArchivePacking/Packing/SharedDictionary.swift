// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// The dictionary of a scope, made by the first thread that needs it.
final class SharedDictionary: Sendable {
    private let builder: DictionaryBuilder
    private let result = Mutex<Result<Contents?, ArchiveError>?>(nil)

    struct Contents: Sendable {
        let bytes: [UInt8]
        let prepared: PreparedDictionary
    }

    init(_ builder: DictionaryBuilder) { self.builder = builder }

    /// Nil if no dictionary helps.
    func contents() throws(ArchiveError) -> Contents? {
        // The pipeline gives other threads other work meanwhile; one that came here all the same would wait.
        let made = result.withLock { result in
            if let result { return result }
            let made = Result { () throws(ArchiveError) -> Contents? in
                try builder.build().map { bytes in
                    Contents(bytes: bytes, prepared: PreparedDictionary(bytes, level: builder.level))
                }
            }
            result = made
            return made
        }
        return try made.get()
    }
}
