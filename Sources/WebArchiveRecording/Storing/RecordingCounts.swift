// SPDX-License-Identifier: Apache-2.0

/// The counts of a recording proxy.
public struct RecordingCounts: Hashable, Sendable {
    /// The number of recorded exchanges.
    public var exchanges = 0
    /// The number of bytes of their responses' bodies without codings.
    public var bytes: UInt64 = 0
    /// The number of recorded exchanges whose body is not whole.
    public var truncated = 0
    /// The number of requests that got no response.
    public var failures = 0
    /// The number of exchanges that were forwarded and not recorded, because the archive was full or could not be written.
    public var dropped = 0
    /// The number of exchanges that were not recorded again, because the archive has the same response.
    public var unchanged = 0
    /// The number of commits.
    public var commits = 0
}
