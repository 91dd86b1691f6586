// SPDX-License-Identifier: Apache-2.0

import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The times of last uses between two runs: a line for each request, as "nanoseconds method digest URL", `-` for no request body.
///
/// Only the order of removals depends on the file: a malformed line is skipped.
struct UseTimesFile {
    let path: FilePath

    /// The maximum number of lines that are read or written; the first ones are of the latest uses.
    var maximumCount = 200_000
    /// The maximum length that is read or written, in bytes.
    var maximumLength = 16 << 20

    // MARK: - Reading

    /// Reads the file; empty if it is missing, or of a different kind. Times later than `now` count as `now`.
    func read(now: ArchiveTime) -> [RequestKey: ArchiveTime] {
        var times: [RequestKey: ArchiveTime] = [:]
        var rest = bytes()[...]
        for _ in 0..<maximumCount where !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            guard let (key, time) = Self.parse(line) else { continue }
            times[key] = min(max(times[key] ?? time, time), now)
        }
        return times
    }

    private func bytes() -> [UInt8] {
        // A pipe of that name must not block this process.
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec]) else {
            return []
        }
        defer { try? file.close() }
        guard let status = FileStatus(of: file), status.isRegular else { return [] }
        let length = Int(clamping: min(status.length, UInt64(maximumLength)))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                guard let more = try? file.read(into: rest), more > 0 else { return }
                count += more
            }
        }
    }

    private static func parse(_ line: ArraySlice<UInt8>) -> (RequestKey, ArchiveTime)? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, let number = Int64(String(untrusted: fields[0])),
            let time = ArchiveTime(nanoseconds: number), FieldText.isToken(fields[1])
        else { return nil }
        let digest = String(untrusted: fields[2])
        let bodyDigest = ContentDigest(hexadecimal: digest)
        guard bodyDigest != nil || digest == "-" else { return nil }
        let url = Array(fields[3])
        guard CanonicalURL.isCanonical(utf8: url), let url = try? CanonicalURL(utf8: url) else { return nil }
        return (RequestKey(url: url, method: String(untrusted: fields[1]), bodyDigest: bodyDigest), time)
    }

    // MARK: - Writing

    /// Replaces the file atomically.
    ///
    /// - Throws: `io`.
    func write(_ times: [RequestKey: ArchiveTime]) throws(ArchiveError) {
        try ReplacementFile.write(text(times), to: FilePlace(path), permissions: .ownerReadWrite)
    }

    /// Returns the text, the latest uses first, so that the oldest ones are missing if there are too many.
    private func text(_ times: [RequestKey: ArchiveTime]) -> [UInt8] {
        var text: [UInt8] = []
        var count = 0
        for (key, time) in times.sorted(by: { ($1.value, $0.key.url) < ($0.value, $1.key.url) }) {
            guard FieldText.isToken(key.method.utf8) else { continue }
            let head = "\(time.nanoseconds) \(key.method) \(key.bodyDigest.map(\.description) ?? "-") "
            guard count < maximumCount, text.count + head.utf8.count + key.url.bytes.count < maximumLength else {
                break
            }
            count += 1
            text += Array(head.utf8) + key.url.bytes + [UInt8(ascii: "\n")]
        }
        return text
    }
}
