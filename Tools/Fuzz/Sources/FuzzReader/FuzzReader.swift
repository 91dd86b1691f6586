// SPDX-License-Identifier: Apache-2.0

import ArchiveMutator
import FuzzSupport

@testable import WebArchive

/// Readers: opens an archive, lists and looks up entries, and reads bodies, whole and in parts.
///
/// Reads it twice, from memory that is mapped and from a source that only gives bytes: both must come to the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        let memory = MemoryByteSource(bytes)
        let mapped = ReaderWalk.run(memory)
        let read = ReaderWalk.run(PositionalSource(memory: memory))
        expect(mapped == read, "what is mapped and what is read by position differ")
    }
}

/// The bytes of another source, without giving it away that they lie in memory.
private struct PositionalSource: ByteSource {
    let memory: MemoryByteSource

    var length: UInt64 { memory.length }
    var name: String { memory.name }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        try memory.read(at: offset, into: buffer)
    }
}
