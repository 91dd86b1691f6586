// SPDX-License-Identifier: Apache-2.0

import CZstd
import WebArchive

/// The files of a scope, of which its dictionary is made.
struct ScopeSamples: DictionarySamples {
    let tree: SourceTree
    let scope: DictionaryPlan.Scope

    var count: Int { scope.members.count }
    var bytes: UInt64 { scope.bytes }

    func length(_ number: Int) -> UInt64 { tree.files[scope.members[number]].length }

    /// - Throws: `io` or `changed`.
    func head(_ number: Int, _ length: Int) throws(ArchiveError) -> [UInt8] {
        try tree.head(scope.members[number], length)
    }

    /// Returns the dictionary of libzstd's trainer. It costs some 20 ms, which is affordable only at slow levels.
    func trained(_ limit: Int) throws(ArchiveError) -> [UInt8]? {
        var text: [UInt8] = []
        var lengths: [Int] = []
        let (sampleLength, pieceLength) = (4 << 20, 16 << 10)
        let stride = max(1, count * pieceLength / sampleLength)
        for position in Swift.stride(from: 0, to: count, by: stride) {
            let piece = try head(position, pieceLength)
            text += piece
            lengths.append(piece.count)
        }
        var parameters = ZDICT_fastCover_params_t()
        (parameters.k, parameters.d, parameters.f, parameters.accel) = (2048, 6, 18, 5)
        // The trainer puts tables for Zstandard in front, which are cut off again.
        var trained = [UInt8](repeating: 0, count: limit + 1024)
        let length = ZDICT_trainFromBuffer_fastCover(
            &trained, trained.count, text, lengths, UInt32(lengths.count), parameters)
        guard ZDICT_isError(length) == 0, length <= trained.count else { return nil }
        let header = ZDICT_getDictHeaderSize(trained, length)
        guard ZDICT_isError(header) == 0, header < length else { return nil }
        return Array(trained[header..<length].suffix(limit))
    }
}
