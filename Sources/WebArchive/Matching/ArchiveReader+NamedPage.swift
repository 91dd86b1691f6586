// SPDX-License-Identifier: Apache-2.0

extension ArchiveReader {
    /// Checks that the archive has the main page that the metadata names. An archive that names none, as a layer does, passes.
    ///
    /// - Throws: `notFound` without a response to a request for it; `damaged` or `io`.
    package func checkNamedMainPage() throws(ArchiveError) {
        guard let named = try metadata()[MetadataName.mainPage], let url = try? CanonicalURL(named) else { return }
        let matcher = SiteMatcher([ArchiveMatcher(self, options: .serving)])
        guard try matcher.match(MatchRequest(url: url), within: .forRequest()).response == nil else { return }
        throw ArchiveError(.notFound, "the main page \(url) is not in the archive", path: name)
    }
}
