// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The program as a user has it.
enum WebarcTool {
    /// Lies where the tests lie.
    static let path: String = {
        #if canImport(Darwin)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            let tests = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        #else
            let tests = URL(fileURLWithPath: CommandLine.arguments[0])
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("webarc").path
    }()

    /// Runs it with pipes for its input and output.
    static func run(
        _ arguments: String..., in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> ExternalTool.Result {
        try run(arguments, in: folder, environment: environment)
    }

    static func run(
        _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> ExternalTool.Result {
        var all = ProcessInfo.processInfo.environment
        all["SOURCE_DATE_EPOCH"] = nil
        all.merge(environment) { $1 }
        return try ExternalTool.run([path] + arguments, in: folder, environment: all)
    }
}

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
