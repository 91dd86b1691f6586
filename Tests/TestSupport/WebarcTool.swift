// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The program as a user has it.
public enum WebarcTool {
    /// Lies where the tests lie.
    public static let path: String = {
        #if canImport(Darwin)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            let tests = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        #else
            let tests = URL(fileURLWithPath: CommandLine.arguments[0])
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("webarc").path
    }()

    /// Runs it with pipes for its input and output.
    public static func run(
        _ arguments: String..., in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> ExternalTool.Result {
        try run(arguments, in: folder, environment: environment)
    }

    public static func run(
        _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> ExternalTool.Result {
        var all = ToolEnvironment.inFolder(folder, adding: environment)
        all["SOURCE_DATE_EPOCH"] = environment["SOURCE_DATE_EPOCH"]
        return try ExternalTool.run([path] + arguments, in: folder, environment: all)
    }
}
