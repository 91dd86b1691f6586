// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchiveURLProtocol
import WebarcCommandLine

/// The response of a session to a URL.
struct FetchedResponse {
    /// The hops from the first request to the response, which is the last.
    var hops: [LoadEvent]
    /// The fields in the session's form: one for each name, in the order of the names.
    var fields: HeaderFields
    var body: Data
}
