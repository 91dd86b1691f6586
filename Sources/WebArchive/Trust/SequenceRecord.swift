// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
import WebArchiveFormat

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A record of the newest seen edition of each series, and of revoked keys, in a file that outlives the program.
///
/// A reader that has one refuses an archive with a lower sequence: an old edition, with faults that are known by now, that an attacker put
/// back. Several programs may share a record. Specification section 13.4.
///
/// The file is text. A line for an edition has its sequence, the name of the series, in which bytes up to 0x20, `%` and 0x7F are
/// percent-encoded, and the root of the edition in hexadecimal digits; on a line for a revoked key, `revoked` and the key. Removing the file lets all
/// editions and all keys in again.
public struct SequenceRecord: Sendable {
    /// The path of the file.
    public let path: FilePath

    /// Creates a record. Opening the first archive creates the file; the folder must exist.
    public init(path: FilePath) { self.path = path }

    /// Creates a record. As ``init(path:)-(FilePath)``.
    public init(path: String) { self.init(path: FilePath(path)) }

    /// Reads the highest sequence of each series.
    ///
    /// - Throws: `damaged` for a malformed line, `invalidArgument` if other users may change the file, `io`.
    public func sequences() throws(ArchiveError) -> [String: UInt64] {
        try content().editions.mapValues(\.sequence)
    }

    /// Reads the revoked keys.
    ///
    /// - Throws: as ``sequences()``.
    public func revokedKeys() throws(ArchiveError) -> Set<ArchivePublicKey> { try content().revokedKeys }

    /// Reads the record.
    ///
    /// - Throws: as ``sequences()``.
    func content() throws(ArchiveError) -> SequenceRecordText {
        do throws(ArchiveError) {
            return try SequenceRecordText(PrivateFile.ownText(of: path, isSecret: false), path: path.string)
        } catch {
            guard error.code == .notFound else { throw error }
            return SequenceRecordText()
        }
    }

    /// Raises the record to the sequence of an archive.
    ///
    /// - Parameter name: the name of the archive, for errors.
    /// - Throws: `untrusted` if it is lower; `io`, `limitExceeded`; as ``sequences()``.
    func raise(to statement: ArchiveStatement, of name: String) throws(ArchiveError) {
        try change { content throws(ArchiveError) in
            try content.check(statement, of: name)
            content.editions[statement.series] = .init(sequence: statement.sequence, root: statement.root)
        }
    }

    /// Adds revoked keys.
    ///
    /// - Parameter spared: the edition that remains readable even if its remaining signatures do not suffice; nil for none. Its sequence is
    ///   no longer compared with other editions.
    /// - Throws: `io`, `limitExceeded`; as ``sequences()``.
    package func revoke(_ keys: Set<ArchivePublicKey>, sparing spared: ArchiveStatement?) throws(ArchiveError) {
        try change { content throws(ArchiveError) in
            content.revokedKeys.formUnion(keys)
            if let spared { content.editions[spared.series] = .init(sequence: 0, root: spared.root) }
        }
    }

    /// Sets the number and the root of a series to those of an edition, even if the number is lower.
    ///
    /// - Parameter edition: an edition whose archive was verified.
    /// - Throws: `io`, `limitExceeded`; as ``sequences()``.
    package func replace(by edition: ArchiveStatement) throws(ArchiveError) {
        try change { content throws(ArchiveError) in
            content.editions[edition.series] = .init(sequence: edition.sequence, root: edition.root)
        }
    }

    /// Checks that the record is readable, and that its folder is writable.
    ///
    /// - Throws: `io`; as ``sequences()``.
    package func checkAccess() throws(ArchiveError) { try change { _ throws(ArchiveError) in } }

    private func change(
        _ body: (inout SequenceRecordText) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let lock = try lock()
        defer { try? lock.close() }
        let before = try content()
        var content = before
        try body(&content)
        guard content != before else { return }
        let text = content.text
        guard text.utf8.count < PrivateFile.maximumLength else {
            throw ArchiveError(.limitExceeded, "the sequence record is full", path: path.string)
        }
        try PrivateFile.write(text, to: path, permissions: .ownerReadWrite, replacing: true)
    }

    /// Locks the record, and waits until no other program holds the lock.
    private func lock() throws(ArchiveError) -> FileDescriptor {
        do {
            let lock = try FileDescriptor.open(
                FilePath(path.string + ".lock"), .writeOnly, options: [.create, .closeOnExec, .noFollow, .nonBlocking],
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
                .io, "cannot lock the sequence record; its folder must exist and be writable", path: path.string,
                cause: error)
        }
    }
}
