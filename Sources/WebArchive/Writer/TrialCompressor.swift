// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A compressor that measures how well trials compress against a dictionary.
struct TrialCompressor {
    private let level: CompressionLevel
    private let compressor: BlockCompressor

    init(_ level: CompressionLevel) {
        self.level = level
        compressor = BlockCompressor(level: level)
    }

    /// Returns the total length of the compressed trials, in bytes. A trial that does not shrink counts with its own length.
    ///
    /// - Parameter dictionary: at most 65,536 bytes, prepared once for all trials; nil for none.
    func length(of trials: [[UInt8]], against dictionary: [UInt8]?) -> Int {
        let prepared = dictionary.map { PreparedDictionary($0, level: level) }
        return trials.reduce(0) { sum, trial in
            var room = [UInt8](repeating: 0, count: max(1, trial.count))
            let length = trial.withUnsafeBytes { trial in
                room.withUnsafeMutableBytes { compressor.compress(trial, dictionary: prepared, into: $0) }
            }
            return sum + (length ?? trial.count)
        }
    }
}

extension CompressionLevel {
    /// Whether compression is so slow that choosing a dictionary may be slow as well.
    var isThorough: Bool { if case .level(let number) = self { number >= 9 } else { false } }
}
