// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Work on a thread of its own, which may block: the threads of Swift's tasks must not.
public final class BackgroundThread<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    public init(_ work: @escaping @Sendable () throws -> Value) {
        Thread { [self] in
            let value = Result { try work() }
            result.withLock { $0 = value }
            done.signal()
        }.start()
    }

    /// Waits for the end; to be called once.
    public func value() throws -> Value {
        done.wait()
        return try result.withLock { $0 }!.get()
    }
}
