// SPDX-License-Identifier: Apache-2.0

/// A file that is to be packed, as it was when the folder was walked.
struct SourceFile: Sendable {
    let folder: SourceListing
    /// Which of the folder's files it is.
    let number: Int

    /// Relative to its source; bytes, since names need not be UTF-8.
    var path: [UInt8] { folder.path.isEmpty ? Array(name) : folder.path + [UInt8(ascii: "/")] + name }
    var name: ArraySlice<UInt8> { folder.name(number) }
    var stamp: FileStamp { folder.stamps[number] }
    var length: UInt64 { stamp.length }

    /// The path with what is not UTF-8 repaired, for people.
    var displayPath: String { String(decoding: path, as: UTF8.self) }
}
