// SPDX-License-Identifier: Apache-2.0

import NIOCore

@testable import WebArchiveServer

extension EventLoopQuota {
    /// A quota whose clock stands still: no work takes time, so that no address waits for its turn, on a slow machine neither.
    static var still: EventLoopQuota { EventLoopQuota { .uptimeNanoseconds(1) } }
}
