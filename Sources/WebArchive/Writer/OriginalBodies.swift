// SPDX-License-Identifier: Apache-2.0

/// The bytes of an exchange's messages as they were received, where the rows of the exchange do not give them. Specification section 7, `head` and `wire`.
package struct OriginalBodies: Sendable {
    /// The bytes of one message.
    package struct Message: Sendable {
        /// The start line, the header fields and the empty line; nil if they are the serialised head (section 7.1).
        package var head: ArchiveWriter.BodyReference?
        /// The content with all its codings; nil if it is the body.
        package var wire: ArchiveWriter.BodyReference?

        package init(head: ArchiveWriter.BodyReference? = nil, wire: ArchiveWriter.BodyReference? = nil) {
            (self.head, self.wire) = (head, wire)
        }

        var isEmpty: Bool { head == nil && wire == nil }
        var numbers: IndexDraft.Original {
            IndexDraft.Original(head: head?.number ?? 0, wire: wire?.number ?? 0)
        }
    }

    package var request = Message()
    package var response = Message()

    package init() {}
}
