// SPDX-License-Identifier: Apache-2.0

/// An error of a test that cannot go on.
public struct Unexpected: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
