// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The share of one connection, with all its streams, in the memory for unsent responses.
///
/// Where its address has used up its share, a connection goes on in small pieces, one at a time: slower, and with little memory.
final class ContentShare: Sendable {
    /// The length of such a piece, in bytes.
    static let smallLength = 16 << 10

    private let budget: ContentBudget
    private let address: String
    private let onItsWay = Atomic(0)

    /// - Parameter address: of the client. A client of IPv6 has a network of 64 bits, and shares it with itself.
    init(_ budget: ContentBudget, address: String) {
        self.budget = budget
        self.address =
            IPAddressBytes("[\(address)]").map { $0.bytes.prefix(8).map(String.init).joined(separator: ".") } ?? address
    }

    /// Whether the address has no room left.
    var isShort: Bool { !budget.hasRoom(for: address) }

    /// The longest piece that may be read now, in bytes; 0 until something has left.
    var allowance: Int {
        if !isShort { return .max }
        return onItsWay.load(ordering: .relaxed) == 0 ? Self.smallLength : 0
    }

    func take(_ count: Int) {
        onItsWay.wrappingAdd(count, ordering: .relaxed)
        budget.take(count, for: address)
    }

    func giveBack(_ count: Int) {
        onItsWay.wrappingSubtract(count, ordering: .relaxed)
        budget.giveBack(count, of: address)
    }
}
