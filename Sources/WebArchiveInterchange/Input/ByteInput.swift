// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A source of bytes that come one after another: a file, standard input, or a decompressor of another source.
///
/// One thread at a time uses it.
protocol ByteInput: AnyObject {
    /// The name of the file, for errors.
    var name: String { get }
    /// The offset in the file of the next byte that is not consumed yet.
    var fileOffset: UInt64 { get }

    /// The number of bytes of the file that were read so far: in a member of a ZIP file those of its stored form.
    var readLength: UInt64 { get }

    /// Whether the bytes are those of the file.
    var isPlain: Bool { get }

    /// Reads bytes, and waits for the first one.
    ///
    /// - Parameter buffer: the memory to fill, of at least one byte.
    /// - Returns: the number of bytes, at most as many as the buffer has; 0 at the end only.
    /// - Throws: `io`; `damaged` where compressed bytes cannot be decoded, with the offset in the file. ``skipDamage()`` then continues.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int

    /// Continues behind damage, at the next place where decoding can begin.
    ///
    /// - Returns: whether there is such a place.
    /// - Throws: `io`.
    func skipDamage() throws(ArchiveError) -> Bool
}

extension ByteInput {
    var readLength: UInt64 { fileOffset }
}
