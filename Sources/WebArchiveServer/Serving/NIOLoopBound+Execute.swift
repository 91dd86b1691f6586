// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension NIOLoopBound {
    /// Performs work with the value on its event loop, soon.
    func execute(_ work: @escaping @Sendable (Value) -> Void) {
        eventLoop.execute { work(self.value) }
    }
}
