// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The tools of other web archivers, in the versions that `Tools/setup --tests` installs from PyPI.
public enum WebArchivers {
    private static let environments = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../.build-peers").standardized

    /// Whether all of them are there.
    public static let areThere = [tool("warcio"), tool("wayback")].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The path of a tool; pywb has an environment of its own.
    static func tool(_ name: String) -> String {
        let environment = ["wayback", "wb-manager"].contains(name) ? "pywb" : "archivers"
        return environments.appending(path: "\(environment)/bin/\(name)").path
    }

    /// Runs a tool, such as `warcio`, or the Python that has all of them as libraries except pywb: `python3`.
    public static func run(_ name: String, _ arguments: String..., in folder: URL? = nil) throws -> ExternalTool.Result
    {
        try ExternalTool.run([tool(name)] + arguments, in: folder)
    }
}
