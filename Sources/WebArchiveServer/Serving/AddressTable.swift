// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A table with a state for each of the few client addresses that need one.
///
/// It is empty almost always, and looking into an empty one takes no lock.
final class AddressTable<State: Sendable>: Sendable {
    /// The number of addresses above which states that are over are removed.
    private static var maximumAddressCount: Int { 4096 }

    /// The states by the client of an address: see ``ContentShare/client(_:)``.
    private let states = Mutex<[String: State]>([:])
    /// The count of `states`.
    private let count = Atomic(0)
    /// A function that decides whether a state may be removed.
    private let isOver: @Sendable (State) -> Bool

    /// - Parameter isOver: whether a state no longer matters, so that it can be removed.
    init(isOver: @escaping @Sendable (State) -> Bool) { self.isOver = isOver }

    /// Whether no address has a state. Another thread may add one meanwhile.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Reads or changes the state of an address.
    ///
    /// The function runs under the lock of the whole table, and so must be short. A full table is searched for states
    /// that are over; if all matter, the new one is dropped.
    ///
    /// - Parameter isNeeded: whether a new state is kept even if the table is full.
    /// - Returns: the result of the function.
    func withState<R: Sendable>(of address: String, isNeeded: Bool = false, _ change: (inout State?) -> R) -> R {
        states.withLock { states in
            defer { count.store(states.count, ordering: .relaxed) }
            let known = states.count
            let result = change(&states[address])
            guard states.count > known, states.count > Self.maximumAddressCount, !isNeeded else { return result }
            states = states.filter { !isOver($0.value) }
            if states.count > Self.maximumAddressCount { states[address] = nil }
            return result
        }
    }
}
