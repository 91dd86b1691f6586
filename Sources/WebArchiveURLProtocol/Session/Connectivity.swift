// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The state of the network: its availability and its cost.
///
/// On Linux, Foundation does not report it. An app provides it with closures, or sets ``isOffline``. Any thread may use it; sessions that
/// share one are switched together.
public final class Connectivity: Sendable {
    private let offline = Mutex(false)
    private let reaches: (@Sendable () -> Bool)?
    private let meters: (@Sendable () -> Bool)?

    /// Creates the state of a network.
    ///
    /// - Parameters:
    ///   - isReachable: a function that returns whether there is a network; called for each request, from any thread, and waited for. By
    ///     default there always is one, and a request detects its state.
    ///   - isMetered: a function that returns whether loads cost the user; called for each request. False by default.
    public init(
        isReachable: (@Sendable () -> Bool)? = nil, isMetered: (@Sendable () -> Bool)? = nil
    ) {
        reaches = isReachable
        meters = isMetered
    }

    /// Whether the app works offline, independently of reachability; initially false. It applies to all later decisions.
    public var isOffline: Bool {
        get { offline.withLock { $0 } }
        set { offline.withLock { $0 = newValue } }
    }

    /// Whether requests go to the network.
    public var isOnline: Bool { !isOffline && reaches?() ?? true }
    /// Whether the network is metered, as far as the app has reported.
    public var isMetered: Bool { meters?() ?? false }
    /// Whether the app's own functions are called.
    var callsOut: Bool { reaches != nil || meters != nil }
}
