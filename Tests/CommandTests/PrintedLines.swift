// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension ExternalTool.Result {
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }

    /// The objects that were printed one a line, as Foundation reads them.
    var objects: [[String: Any]] {
        get throws {
            try lines.map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            }
        }
    }
}
