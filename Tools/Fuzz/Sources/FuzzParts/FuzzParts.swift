// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchiveFormat

/// Parts of an archive alone: blocks, key blocks, class tables, section tables, footers, headers.
///
/// The first byte says which part the rest is. Checksums are those that the rest has.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzParts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        guard let part = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch part % 6 {
        case 0: BlockCheck.decode(rest)
        case 1: BlockCheck.compressAndDecode(rest)
        case 2: KeyBlockCheck.run(rest)
        case 3: TableCheck.classTable(rest)
        case 4: TableCheck.footerAndSections(rest)
        default: TableCheck.header(rest)
        }
    }
}

/// Cuts bytes off the front: as many as the two bytes before them say, or what is there.
func cut(_ bytes: inout ArraySlice<UInt8>) -> [UInt8] {
    let length = number(&bytes)
    defer { bytes = bytes.dropFirst(length) }
    return Array(bytes.prefix(length))
}

func number(_ bytes: inout ArraySlice<UInt8>) -> Int {
    defer { bytes = bytes.dropFirst(2) }
    return bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
}
