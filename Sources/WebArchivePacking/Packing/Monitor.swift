// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A state that threads share, with a condition to wait for its changes.
final class Monitor<State>: @unchecked Sendable {
    // `state` is accessed only with the mutex held; both pointers live as long as the monitor.
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Changes the state, and wakes all waiting threads.
    ///
    /// - Parameter change: a function that is called once with the mutex held, so it must not use the monitor.
    func update<Value>(_ change: (inout State) -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return change(&state)
    }

    /// Waits until `change` returns a value.
    ///
    /// - Parameter change: a function that is called at once and after each ``update(_:)``, with the mutex held. If it changes the state
    ///   itself, no other thread wakes.
    func wait<Value>(for change: (inout State) -> Value?) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let value = change(&state) { return value }
            pthread_cond_wait(condition, mutex)
        }
    }
}
