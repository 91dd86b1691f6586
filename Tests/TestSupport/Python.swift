// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Python's standard library, its `lz4` and its `jsonschema`, as something to compare with that we did not write.
public enum Python {
    public static let isThere = works("import zlib, hashlib, email.utils")
    public static let hasLZ4 = works("import lz4.block")

    public static let hasJSONSchema = works("import jsonschema")

    private static func works(_ script: String) -> Bool {
        (try? ExternalTool.run(["python3", "-c", script]))?.status == 0
    }

    /// The error of the script.
    public struct ScriptFailure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Runs a script that prints one line for each line of its input.
    public static func answers(_ script: String, to questions: [String]) throws -> [String] {
        let input = Data((questions.joined(separator: "\n") + "\n").utf8)
        let result = try ExternalTool.run(["python3", "-c", script], input: input)
        let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        guard result.status == 0, lines.count == questions.count else {
            throw ScriptFailure(description: "status \(result.status), \(lines.count) lines: \(result.errorText)")
        }
        return lines
    }
}
