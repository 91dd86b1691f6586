// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchiveURLProtocol
import WebarcCommandLine

/// The response that a session gave for a URL.
struct FetchedResponse {
    /// From the first request to the response, which is the last.
    var hops: [LoadEvent]
    /// As the session shows them: one for each name, in the order of the names.
    var fields: HeaderFields
    var body: Data
}
