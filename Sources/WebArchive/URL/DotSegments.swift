// SPDX-License-Identifier: Apache-2.0

/// The `remove_dot_segments` routine of RFC 3986 section 5.2.4.
enum DotSegments {
    /// Removes the "." and ".." segments of the path that is `bytes[start...]`, in place and in one pass.
    ///
    /// Dots written as "%2E" count only if they were decoded before.
    static func remove(from bytes: inout [UInt8], at start: Int) {
        guard needRemoval(in: bytes[start...]) else { return }
        var read = start
        var write = start
        skipLeading(in: bytes, from: &read)
        while read < bytes.endIndex {
            // A segment comes with the "/" before it; only the first one of a rootless path has none.
            let rooted = bytes[read] == .ascii("/")
            let name = rooted ? read + 1 : read
            let end = bytes[name...].firstIndex(of: .ascii("/")) ?? bytes.endIndex
            switch dotCount(bytes[name..<end]) {
            case 1:
                break
            case 2:
                write = bytes[start..<write].lastIndex(of: .ascii("/")) ?? start
            default:
                for index in read..<end {
                    bytes[write] = bytes[index]
                    write += 1
                }
                read = end
                continue
            }
            if end == bytes.endIndex, rooted {
                bytes[write] = .ascii("/")
                write += 1
            }
            read = end
        }
        bytes.removeSubrange(write...)
    }

    /// Applies rules A and D: removes leading "../" and "./" of a rootless path, and a path of only dots.
    private static func skipLeading(in bytes: [UInt8], from read: inout Int) {
        while read < bytes.endIndex, bytes[read] != .ascii("/") {
            let end = bytes[read...].firstIndex(of: .ascii("/")) ?? bytes.endIndex
            guard dotCount(bytes[read..<end]) != nil else { return }
            read = min(end + 1, bytes.endIndex)
        }
    }

    /// Returns whether any segment is "." or "..", which few paths have.
    static func needRemoval(in path: ArraySlice<UInt8>) -> Bool {
        var segment = path.startIndex
        for index in path.indices where path[index] == .ascii("/") {
            if dotCount(path[segment..<index]) != nil { return true }
            segment = index + 1
        }
        return dotCount(path[segment...]) != nil
    }

    /// Returns 1 for ".", 2 for "..", nil for any other segment.
    private static func dotCount(_ segment: ArraySlice<UInt8>) -> Int? {
        guard segment.count == 1 || segment.count == 2, segment.allSatisfy({ $0 == .ascii(".") }) else { return nil }
        return segment.count
    }
}
