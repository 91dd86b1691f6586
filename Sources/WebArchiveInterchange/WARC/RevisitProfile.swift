// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The profiles of revisit records. ISO 28500 section 6.7.
enum RevisitProfile {
    /// The profile of a revisit whose body is that of another response.
    static let samePayload = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

    /// Returns whether the record of these fields has an update of another response, and no body (RFC 9111 section 4.3.4).
    static func isUpdate(_ fields: HeaderFields) -> Bool {
        fields["WARC-Profile"]?.contains("server-not-modified") == true
    }
}
