// SPDX-License-Identifier: Apache-2.0

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
