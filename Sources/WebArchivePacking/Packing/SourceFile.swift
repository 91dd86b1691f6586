// SPDX-License-Identifier: Apache-2.0

/// A file to pack, as of the reading of its folder.
struct SourceFile: Sendable {
    let folder: SourceListing
    /// The number of the file in its folder.
    let number: Int

    /// The path relative to its source; bytes, since names need not be UTF-8.
    var path: [UInt8] { folder.path.isEmpty ? Array(name) : folder.path + [UInt8(ascii: "/")] + name }
    var name: ArraySlice<UInt8> { folder.name(number) }
    var stamp: FileStamp { folder.stamps[number] }
    var length: UInt64 { stamp.length }

    /// The path, with bytes that are not UTF-8 replaced, for people.
    var displayPath: String { String(decoding: path, as: UTF8.self) }
}
