// SPDX-License-Identifier: Apache-2.0

/// A verifier of an archive: it collects all findings, and stops at none.
///
/// Work and memory are bounded for any file: about 16 MiB, as much for each thread, and a few bits for each
/// entry. The findings and their order do not depend on the number of threads.
///
/// ```swift
/// let archive = try ArchiveReader(path: "notes.webarc")
/// for finding in ArchiveVerifier(archive, threads: 4).run() {
///     print(finding.severity, finding.code, finding.message)
/// }
/// ```
public struct ArchiveVerifier: Sendable {
    /// The extent of a verification.
    public enum Depth: Sendable {
        /// The extent of structure, index pages, rows, keys and redirects: the checksums of blocks and the digests of
        /// bodies are left out.
        case quick
        /// The extent of ``quick``, and every block's checksum and every body's digest as well: it reads the whole file.
        case full
    }

    /// The archive to verify.
    public let archive: ArchiveReader
    /// The extent of the verification.
    public let depth: Depth
    /// The number of threads that read and check, at least 1.
    public let threads: Int

    /// Whether redirects are followed, which only cause warnings.
    package var followsRedirects = true

    /// Creates a verifier. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - archive: an archive that could be opened; faults that prevent this are errors of ``ArchiveReader``.
    ///   - depth: the depth; ``Depth/full`` by default.
    ///   - threads: the number of threads that work at once; 1 by default, and less than 1 counts as 1.
    public init(_ archive: ArchiveReader, depth: Depth = .full, threads: Int = 1) {
        self.archive = archive
        self.depth = depth
        self.threads = max(1, threads)
    }

    /// Verifies the archive as it was opened, and waits for the end.
    ///
    /// Findings come in the order file, index pages, rows, keys, bodies and blocks, redirects, main page. At most
    /// 10,000 are listed, of 4 MiB of text; ``VerificationFinding/Code/notListed`` counts the others.
    ///
    /// - Parameter progress: a function that is called now and then with the bodies' bytes done and in all, from any thread.
    /// - Returns: the findings; none for an archive in which everything is right.
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) -> [VerificationFinding] {
        let parallel = ParallelWork(threads: threads)
        var log = FindingLog()
        // A reader of its own, so that pages of the index can be released. A file that has changed since is checked as it was opened.
        let archive = (try? ArchiveReader(verifying: archive)) ?? archive
        FileChecks(archive: archive).run(into: &log)
        if depth == .full { TrustChecks(archive: archive).run(parallel, into: &log) }
        RowChecks(archive: archive).run(parallel, into: &log)
        let keys = KeyChecks(archive: archive).run(parallel, into: &log)
        BodyChecks(archive: archive, depth: depth).run(parallel, progress: progress, into: &log)
        if followsRedirects { RedirectChecks(archive: archive, firstOfKey: keys).run(parallel, into: &log) }
        MainPageCheck(archive: archive).run(into: &log)
        var affected = AffectedURLs(archive.index)
        return log.result(affecting: affected.lists(log))
    }
}

extension ArchiveReader {
    /// Verifies the archive in full.
    ///
    /// - Throws: `damaged` with the first finding that is an error, or `untrusted` if that is one of the signature.
    package func checkIntact(threads: Int) throws(ArchiveError) {
        var verifier = ArchiveVerifier(self, threads: threads)
        verifier.followsRedirects = false
        let findings = verifier.run()
        if let error = findings.first(where: { $0.severity == .error }) {
            let code: ArchiveError.Code = error.code == .untrusted ? .untrusted : .damaged
            throw ArchiveError(code, error.message, path: name, offset: error.offset)
        }
    }
}
