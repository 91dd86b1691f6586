// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebarcCommandLine

/// The damage that a copy of an archive left out, as warnings.
struct LeftOutDamage {
    let damage: [ArchiveError]
    /// The archive, as named by the user.
    let file: String

    private static let shown = 10

    /// Reports the first ten faults, and the number of others.
    func tell() {
        for error in damage.prefix(Self.shown) {
            Diagnostics.warn("left out: \(Diagnostics.text(of: error.at(path: file), withAdvice: false))")
        }
        if damage.count > Self.shown { Diagnostics.warn("\(damage.count - Self.shown) more left out") }
    }
}
