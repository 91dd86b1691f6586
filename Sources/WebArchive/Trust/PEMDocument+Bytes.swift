// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

extension PEMDocument {
    /// Reads the bytes of a document of one type and one length; nil for any other document.
    static func bytes(_ text: String, type: String, length: Int) -> [UInt8]? {
        guard let document = try? PEMDocument(pemString: text), document.discriminator == type,
            document.derBytes.count == length
        else { return nil }
        return document.derBytes
    }

    /// Writes a document, which ends with a line feed.
    static func text(type: String, _ bytes: [UInt8]) -> String {
        PEMDocument(type: type, derBytes: bytes).pemString + "\n"
    }
}
