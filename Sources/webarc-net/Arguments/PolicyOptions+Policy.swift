// SPDX-License-Identifier: Apache-2.0

import WebArchiveURLProtocol
import WebarcCommandLine

extension PolicyOptions {
    var value: ArchivePolicy {
        switch policy {
        case .archiveOnly: .archiveOnly
        case .archiveFirst: .archiveFirst
        case .networkFirst: .networkFirst
        case .staleWhileRevalidate: .staleWhileRevalidate(freshFor: ages.fresh, expiresAfter: ages.expired)
        case .http: .http
        case .networkOnly: .networkOnly
        }
    }
}
