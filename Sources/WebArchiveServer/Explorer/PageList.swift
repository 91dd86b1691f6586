// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// A part of the lists of pages of a site's archives, one after another. Specification section 7, "Page".
struct PageList {
    /// A page with its archive.
    struct Row {
        /// The number of the archive.
        let layer: Int
        /// The page; nil if it is damaged.
        let page: ArchivePage?
    }

    /// The pages of this part.
    private(set) var rows: [Row] = []
    /// The number of the first page of this part, from 0.
    let start: Int
    /// The number of pages of all lists.
    let total: Int

    /// The number of the next part's first page; nil at the end.
    var next: Int? { start + rows.count < total ? start + rows.count : nil }

    /// The usual number of pages of a part.
    static let usualCount = 100

    /// Reads a part. A part whose texts exceed 4 MiB is shorter.
    ///
    /// - Parameters:
    ///   - start: the number of the first page; another one than that of a page gives an empty part.
    ///   - count: the maximum number of pages.
    /// - Throws: `io`.
    init(of site: ReplaySite, from start: Int, count: Int = usualCount) throws(ArchiveError) {
        total = site.layers.reduce(0) { $0 + $1.pageCount }
        self.start = min(max(0, start), total)
        let budget = DecodingBudget(for: "a list of pages", bytes: 4 << 20)
        var before = 0
        for (layer, archive) in site.layers.enumerated() {
            let limited = archive.limited(to: budget)
            for number in max(0, self.start - before)..<max(archive.pageCount, self.start - before) {
                guard rows.count < count else { return }
                do throws(ArchiveError) {
                    rows.append(Row(layer: layer, page: try limited.page(number).page))
                } catch  where error.code == .damaged {
                    rows.append(Row(layer: layer, page: nil))
                } catch  where error.code == .limitExceeded {
                    // A page that is too long alone must not hide those after it.
                    if rows.isEmpty { rows.append(Row(layer: layer, page: nil)) }
                    return
                }
            }
            before += archive.pageCount
        }
    }
}
