// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveRecording

extension Crawl {
    /// The time from one commit to the next, and the numbers of pages and bytes that cause one earlier.
    private static let commitInterval = Duration.seconds(5)
    private static let maximumPageCount = 50
    private static let maximumLength = 16 << 20

    /// Commits the pages that were visited, if there are enough, or some time has passed.
    func commitIfDue() async {
        guard !pending.isEmpty, !isCommitting else { return }
        let length = pending.reduce(0) { $0 + $1.text.utf8.count + ($1.screenshot?.count ?? 0) }
        guard
            ContinuousClock.now - lastCommit >= Self.commitInterval || pending.count >= Self.maximumPageCount
                || length >= Self.maximumLength
        else { return }
        await commit()
    }

    /// Commits the pages that were visited, with their exchanges. An error ends the crawl.
    func commit() async {
        guard !pending.isEmpty else { return }
        isCommitting = true
        let (pages, exchanges) = (pending, exchanges)
        pending = []
        do throws(ArchiveError) {
            // On the proxy's queue: all exchanges that ended before are known there.
            try await proxy.commit { builder, bodies throws(ArchiveError) in
                for page in pages { try page.add(to: builder, bodies, exchanges) }
            }
        } catch {
            failure = failure ?? error
        }
        lastCommit = .now
        isCommitting = false
    }
}
