// SPDX-License-Identifier: Apache-2.0

import NIOConcurrencyHelpers
import NIOCore

@testable import WebArchiveServer

extension EventLoopQuota {
    /// A quota whose clock is ten seconds later at each look, so that no address waits, on a slow machine neither.
    static var unlimited: EventLoopQuota {
        let seconds = NIOLockedValueBox<UInt64>(0)
        return EventLoopQuota {
            seconds.withLockedValue {
                $0 += 10
                return .uptimeNanoseconds($0 * 1_000_000_000)
            }
        }
    }
}
