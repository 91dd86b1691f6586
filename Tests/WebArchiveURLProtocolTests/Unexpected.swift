// SPDX-License-Identifier: Apache-2.0

/// What a test throws where it cannot go on.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
