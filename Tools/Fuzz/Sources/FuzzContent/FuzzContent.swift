// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchivePacking

/// The texts that packing reads from files and options: declared charsets, `Content-Type` values, patterns of names.
///
/// The first byte says what the rest is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContent(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        guard let kind = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch kind % 3 {
        case 0: checkCharset(rest)
        case 1: checkContentType(String(decoding: rest, as: UTF8.self))
        default: checkPattern(rest)
        }
    }
}

private func checkCharset(_ bytes: [UInt8]) {
    let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
    for type in ["text/html", "text/css", "image/svg+xml", "text/plain"] {
        let declared = CharsetDetection.declaredCharset(in: bytes.span.bytes, mediaType: type)
        let whole = CharsetDetection.charset(of: bytes.span.bytes, mediaType: type, isComplete: true)
        expect(whole == declared ?? (isUTF8 ? "utf-8" : nil), "\(type) has charset \(whole ?? "none")")
        if let declared {
            expect(declared.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a label of other bytes")
            expect(!declared.utf8.contains { (0x41...0x5A).contains($0) }, "a label that is not in lower case")
        }
        // The bytes behind the prefix say nothing.
        let longer = Array(bytes.prefix(CharsetDetection.prefixLength)) + Array("<meta charset=latin1>".utf8)
        guard bytes.count >= CharsetDetection.prefixLength else { continue }
        let again = CharsetDetection.declaredCharset(in: longer.span.bytes, mediaType: type)
        expect(again == declared, "a declaration behind the prefix counts")
    }
}

private func checkContentType(_ text: String) {
    guard let value = try? ContentTypeValue(parsing: text) else { return }
    let written = value.description
    expect(written.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a value with control characters")
    // Quotes make a value longer than it was, at times too long.
    if written.utf8.count <= ContentTypeValue.lengthLimit {
        expect((try? ContentTypeValue(parsing: written)) == value, "\(written) reads as another value")
    }
    let other = try? value.with(charset: "x-label")
    expect(other?.charset == "x-label" && other?.essence == value.essence, "another charset")
}

/// A byte of 0xFF parts the pattern from the path.
private func checkPattern(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    guard let pattern = try? GlobPattern(bytes: Array(parts[0])) else { return }
    let path = parts.count > 1 ? Array(parts[1]) : Array("a/b/c.html".utf8)
    for isDirectory in [false, true] {
        let isMatch = pattern.matches(path, isDirectory: isDirectory)
        expect(!isMatch || pattern.covers(path, isDirectory: isDirectory), "a path that matches and is not covered")
        expect(!isMatch || isDirectory || !pattern.matchesDirectoriesOnly, "a file that matches as a folder")
    }
}
