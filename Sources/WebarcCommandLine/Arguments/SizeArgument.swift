// SPDX-License-Identifier: Apache-2.0

/// A number of bytes: 65536, 64K, 64M, 1G, 4GiB.
package struct SizeArgument: FormedArgument {
    package static let form = "a number of bytes, or one with K, M or G, such as 64M"

    package let bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    package init?(argument: String) {
        let units: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        // The long names of the same units: powers of 1024.
        let argument = argument.lowercased().hasSuffix("ib") ? String(argument.dropLast(2)) : argument
        let shift = argument.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int(shift == nil ? argument : String(argument.dropLast())), number >= 0,
            number <= Int.max >> (shift ?? 0)
        else { return nil }
        bytes = number << (shift ?? 0)
    }

    package var defaultValueDescription: String { bytes % (1 << 20) == 0 ? "\(bytes >> 20)M" : String(bytes) }
}
