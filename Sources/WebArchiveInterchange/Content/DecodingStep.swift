// SPDX-License-Identifier: Apache-2.0

/// The progress of one step of a decoder.
struct DecodingStep {
    /// The numbers of bytes that were consumed and produced.
    var consumed = 0, produced = 0
    /// Whether the stream has ended, with a right checksum if it has one.
    var isAtEnd = false
}
