// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The environment of programs that tests run.
public enum ToolEnvironment {
    /// Returns the environment of programs that run in a folder.
    ///
    /// Their state is in the folder, so that no test sees the sequence record of another one.
    public static func inFolder(_ folder: URL?, adding values: [String: String] = [:]) -> [String: String] {
        var all = ProcessInfo.processInfo.environment
        if let folder, values["HOME"] == nil { all["XDG_STATE_HOME"] = folder.appendingPathComponent(".state").path }
        return all.merging(values) { $1 }
    }
}
