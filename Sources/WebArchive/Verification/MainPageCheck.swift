// SPDX-License-Identifier: Apache-2.0

/// A check of the main page that the metadata names: the archive must have a response for it.
struct MainPageCheck {
    let archive: ArchiveReader

    func run(into log: inout FindingLog) {
        // Metadata that cannot be read has been reported.
        guard let page = try? archive.metadata()[MetadataName.mainPage] else { return }
        guard let url = try? CanonicalURL(page) else {
            return warn("the main page is not a URL", page, into: &log)
        }
        do throws(ArchiveError) {
            let matcher = SiteMatcher([ArchiveMatcher(archive, options: .serving)])
            guard try matcher.match(MatchRequest(url: url), within: .forRequest()).response == nil else { return }
            warn("the main page is not in the archive", url.description, into: &log)
        } catch {
            // As above.
        }
    }

    private func warn(_ message: String, _ page: String, into log: inout FindingLog) {
        log.add(VerificationFinding(.mainPageMissing, .warning, message, url: page))
    }
}
