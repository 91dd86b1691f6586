// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A response from the network, in the form for storing.
package struct ReceivedResponse: Sendable {
    /// The original status and header fields; codings that Foundation decoded are listed in its codings.
    package var response: ArchiveResponse
    /// The whole body, decoded.
    package var body: SpooledBody
    /// The time of its header fields.
    package var time: ArchiveTime

    package init(response: ArchiveResponse, body: SpooledBody, time: ArchiveTime) {
        self.response = response
        self.body = body
        self.time = time
    }
}
