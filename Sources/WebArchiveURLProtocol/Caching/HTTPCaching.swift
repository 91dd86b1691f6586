// SPDX-License-Identifier: Apache-2.0

/// How a private cache decides where RFC 9111 leaves it a choice.
public struct HTTPCaching: Hashable, Sendable {
    public init() {}
}
