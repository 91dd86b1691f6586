// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A response from the network, as it is stored.
package struct ReceivedResponse: Sendable {
    /// Status and header fields as they came; what Foundation decoded is named in its codings.
    package var response: ArchiveResponse
    /// The whole body, decoded.
    package var body: SpooledBody
    /// When its header fields came.
    package var time: ArchiveTime

    package init(response: ArchiveResponse, body: SpooledBody, time: ArchiveTime) {
        self.response = response
        self.body = body
        self.time = time
    }
}
