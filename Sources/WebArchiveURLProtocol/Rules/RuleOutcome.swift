// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The outcome of a list of rules for a request.
enum RuleOutcome: Sendable {
    /// The request goes on, perhaps a changed one, and its response is delivered so.
    case proceed(URLRequest, Shaping)
    case block(URLError)
    /// The delay of the response itself is part of the shaping.
    case respond(LocalResponse, Shaping)
}
