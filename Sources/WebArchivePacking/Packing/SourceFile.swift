// SPDX-License-Identifier: Apache-2.0

/// A file to pack, as of the reading of its folder.
struct SourceFile: Sendable {
    /// The listing of its folder, which all files of the folder share.
    let folder: SourceListing
    /// The number of the file in its folder.
    let number: Int

    /// The path relative to its source; bytes, since names need not be UTF-8.
    var path: [UInt8] { folder.path.isEmpty ? Array(name) : folder.path + [UInt8(ascii: "/")] + name }
    /// The name in its folder; bytes, since names need not be UTF-8.
    var name: ArraySlice<UInt8> { folder.name(number) }
    /// The identity and the times at the listing, with which the file is compared when it is read.
    var stamp: FileStamp { folder.stamps[number] }
    /// The length at the listing, in bytes.
    var length: UInt64 { stamp.length }

    /// The path, with bytes that are not UTF-8 replaced, for people.
    var displayPath: String { String(decoding: path, as: UTF8.self) }
}
