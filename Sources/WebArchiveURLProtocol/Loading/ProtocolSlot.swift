// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The loaders of all installations, by the number of their protocol class.
final class SessionLoaders: Sendable {
    static let shared = SessionLoaders()

    private struct State {
        var loaders: [Int: SessionLoader] = [:]
        /// The number of installations so far. No number is reused: sessions of a removed installation must not reach another one's archive.
        var count = 0
    }

    private let state = Mutex(State())

    subscript(slot: Int) -> SessionLoader? { state.withLock { $0.loaders[slot] } }

    /// Keeps a loader, and returns the class that finds it.
    func add(_ loader: SessionLoader) -> (slot: Int, class: ArchiveURLProtocol.Type) {
        let slot = state.withLock { state in
            state.count += 1
            state.loaders[state.count] = loader
            return state.count
        }
        return (slot, Self.protocolClass(slot, bit: Int.bitWidth - slot.leadingZeroBitCount - 1, Zero.self))
    }

    func remove(_ slot: Int) {
        // Let go without the lock, which the loading queue may be waiting for.
        let removed = state.withLock { $0.loaders.removeValue(forKey: slot) }
        withExtendedLifetime(removed) {}
    }

    /// Returns the class of a number. At run time, Swift has new classes only as specialisations of generic ones: the number is spelled in
    /// types, bit by bit.
    private static func protocolClass<Number: SlotNumber>(
        _ slot: Int, bit: Int, _ number: Number.Type
    ) -> ArchiveURLProtocol.Type {
        if bit < 0 { return SlotProtocol<Number>.self }
        if slot >> bit & 1 == 0 { return protocolClass(slot, bit: bit - 1, Twice<Number>.self) }
        return protocolClass(slot, bit: bit - 1, TwiceAndOne<Number>.self)
    }
}

/// The protocol class of one installation.
private final class SlotProtocol<Number: SlotNumber>: ArchiveURLProtocol {
    override class var slot: Int { Number.value }
}

private protocol SlotNumber {
    static var value: Int { get }
}

private enum Zero: SlotNumber {
    static var value: Int { 0 }
}

private enum Twice<Number: SlotNumber>: SlotNumber {
    static var value: Int { 2 * Number.value }
}

private enum TwiceAndOne<Number: SlotNumber>: SlotNumber {
    static var value: Int { 2 * Number.value + 1 }
}
