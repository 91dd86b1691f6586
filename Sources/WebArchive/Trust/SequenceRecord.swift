// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
import WebArchiveFormat

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A record of the highest sequence that was seen of each series, in a file that outlives the program.
///
/// A reader that has one refuses an archive with a lower sequence: an old edition, with faults that are known by now, that somebody put
/// back. Several programs may share a record. Specification section 13.4.
///
/// The file is text: on each line a sequence, a space, and the name of a series, in which bytes up to 0x20, `%` and 0x7F are
/// percent-encoded. Removing it lets all editions in again.
public struct SequenceRecord: Sendable {
    /// The path of the file.
    public let path: FilePath

    /// Creates a record. Opening the first archive creates the file; the folder must exist.
    public init(path: FilePath) { self.path = path }

    /// Creates a record. As ``init(path:)-(FilePath)``.
    public init(path: String) { self.init(path: FilePath(path)) }

    /// Reads the highest sequence of each series.
    ///
    /// - Throws: `damaged` for a line of another form, `invalidArgument` if other users may change the file, `io`.
    public func sequences() throws(ArchiveError) -> [String: UInt64] {
        let text: String
        do throws(ArchiveError) {
            text = try PrivateFile.ownText(of: path, isSecret: false)
        } catch {
            if error.code == .notFound { return [:] }
            throw error
        }
        var sequences: [String: UInt64] = [:]
        for (number, line) in text.utf8.split(separator: UInt8(ascii: "\n")).enumerated() {
            // By bytes: a mark at the beginning of a name would join the space to one character.
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, let sequence = UInt64(String(decoding: parts[0], as: UTF8.self)),
                let series = Self.decoded(parts[1])
            else {
                throw ArchiveError(
                    .damaged, "line \(number + 1) is no sequence and series; remove the file to begin anew",
                    path: path.string)
            }
            sequences[series] = max(sequence, sequences[series] ?? 0)
        }
        return sequences
    }

    /// Holds the sequence of an archive against the record.
    ///
    /// - Parameter name: of the archive, for errors.
    /// - Throws: `untrusted` if it is lower; what ``sequences()`` throws.
    func check(_ statement: ArchiveStatement, of name: String) throws(ArchiveError) {
        try Self.check(statement, try sequences()[statement.series], name)
    }

    private static func check(
        _ statement: ArchiveStatement, _ highest: UInt64?, _ name: String
    ) throws(ArchiveError) {
        guard let highest, statement.sequence < highest else { return }
        throw ArchiveError(
            .untrusted,
            "an old edition of \(statement.series): its sequence is \(statement.sequence), and \(highest) was seen",
            path: name)
    }

    /// Raises the record to the sequence of an archive.
    ///
    /// - Parameter name: of the archive, for errors.
    /// - Throws: as ``check(_:of:)``; `io`, `limitExceeded`.
    func raise(to statement: ArchiveStatement, of name: String) throws(ArchiveError) {
        let lock = try lock()
        defer { try? lock.close() }
        var sequences = try sequences()
        let highest = sequences[statement.series]
        try Self.check(statement, highest, name)
        guard highest != statement.sequence else { return }
        sequences[statement.series] = statement.sequence
        let lines = sequences.sorted { $0.key < $1.key }.map { "\($0.value) \(Self.encoded($0.key))\n" }.joined()
        guard lines.utf8.count < PrivateFile.maximumLength else {
            throw ArchiveError(.limitExceeded, "more series than the record can hold", path: path.string)
        }
        try PrivateFile.write(lines, to: path, permissions: .ownerReadWrite, replacing: true)
    }

    /// Locks the record, and waits until no other program holds the lock.
    private func lock() throws(ArchiveError) -> FileDescriptor {
        do {
            let lock = try FileDescriptor.open(
                FilePath(path.string + ".lock"), .writeOnly, options: [.create, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite)
            while flock(lock.rawValue, LOCK_EX) != 0 {
                let cause = Errno(rawValue: errno)
                guard cause == .interrupted else {
                    try? lock.close()
                    throw cause
                }
            }
            return lock
        } catch {
            throw ArchiveError(
                .io, "cannot lock the record of sequences; its folder must be there, and writable", path: path.string,
                cause: error)
        }
    }

    /// Bytes up to 0x20, `%` and 0x7F, which stand as triplets.
    private static let encodedBytes = ASCIISet(low: 0x0000_0021_FFFF_FFFF, high: 0x8000_0000_0000_0000)

    private static func encoded(_ series: String) -> String {
        var text: [UInt8] = []
        PercentEncoding.appendEncoded(Array(series.utf8)[...], only: encodedBytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func decoded(_ text: some Sequence<UInt8>) -> String? {
        let text = Array(text)[...]
        var (bytes, index) = ([UInt8](), 0)
        while index < text.endIndex {
            if let octet = PercentEncoding.octet(in: text, at: index) {
                bytes.append(octet)
                index += 3
            } else if encodedBytes.contains(text[index]) {
                return nil
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
