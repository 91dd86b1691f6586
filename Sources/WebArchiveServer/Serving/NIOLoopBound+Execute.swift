// SPDX-License-Identifier: Apache-2.0

package import NIOCore

extension NIOLoopBound {
    /// Performs work with the value on its event loop, soon.
    package func execute(_ work: @escaping @Sendable (Value) -> Void) {
        eventLoop.execute { work(self.value) }
    }
}
