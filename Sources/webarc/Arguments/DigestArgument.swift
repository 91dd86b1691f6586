// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebarcCommandLine

/// A digest in the form that a person types.
struct DigestArgument: FormedArgument {
    static let form = "an MD5 of 32 hexadecimal digits"

    let digest: ContentDigest

    init?(argument: String) {
        guard let digest = ContentDigest(hexadecimal: argument) else { return nil }
        self.digest = digest
    }
}
