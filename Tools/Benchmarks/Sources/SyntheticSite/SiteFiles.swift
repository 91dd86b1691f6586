// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The bytes of a file, all at once. Ends the program if there is none: nothing can be measured then.
public func contents(ofFile path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { fatalError("cannot open \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes.append(contentsOf: chunk[..<count]) }
    return bytes
}
