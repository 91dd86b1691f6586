// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The ways out of errors: constants of a structure, which no `switch` has to cover, so that they are read from the source.
public enum RecoveryNames {
    public static func all() throws -> [String] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources")
        let source = try String(
            contentsOf: sources.appendingPathComponent("WebArchiveFormat/ArchiveError.swift"), encoding: .utf8)
        return source.matches(of: /= Recovery\(rawValue: "(\w+)"\)/).map { String($0.1) }
    }
}
