// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive

/// An input whose SHA-256 is compared at its end.
final class DigestedInput: ByteInput {
    private let source: any ByteInput
    private let expected: String
    private var hash = SHA256()
    private var isAtEnd = false

    /// - Parameter expected: the SHA-256, in hexadecimal digits of lower case.
    init(_ source: any ByteInput, expected: String) { (self.source, self.expected) = (source, expected) }

    var name: String { source.name }
    var isPlain: Bool { source.isPlain }
    var fileOffset: UInt64 { source.fileOffset }
    var readLength: UInt64 { source.readLength }

    /// Reads bytes.
    ///
    /// - Throws: `damaged` behind the last byte if the digest is another one; errors of the source.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard !isAtEnd else { return 0 }
        let count: Int
        do throws(ArchiveError) {
            count = try source.read(into: buffer)
        } catch {
            // The digest would only repeat the fault.
            isAtEnd = true
            throw error
        }
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        guard count == 0 else { return count }
        isAtEnd = true
        guard Array(hash.finalize()).hexadecimalDigits == expected else {
            throw ArchiveError(
                .damaged, "the SHA-256 is not that of \(PackageName.description)", path: name, offset: 0)
        }
        return 0
    }

    func skipDamage() throws(ArchiveError) -> Bool { try source.skipDamage() }
}
