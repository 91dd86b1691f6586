// SPDX-License-Identifier: Apache-2.0

import Foundation
public import SystemPackage

/// An archive that is made to cost its readers time or memory, by the modules of Tools/vectors: not by the product's writer.
public enum HostileArchive {
    private static let tools = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Tools")

    /// Writes an archive of a kind, by its name in Tools/vectors/hostile.py.
    public static func write(_ kind: String, to path: FilePath) throws {
        let result = try ExternalTool.run(["python3", "-B", "-m", "vectors.hostile", kind, path.string], in: tools)
        guard result.status == 0 else {
            throw Failure(description: "\(kind): \(result.errorText)")
        }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The end of a program that ran under limits, and its use of resources.
    public struct Outcome: Sendable {
        /// The exit status; negative for a signal.
        public let status: Int32
        /// The greatest resident memory, in bytes.
        public let memory: Int
        public let output: String
        public let errors: String
    }

    /// Runs a program, which the system ends after a minute of processor time.
    public static func run(_ arguments: [String]) throws -> Outcome {
        let script = """
            import json, resource, subprocess, sys
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            done = subprocess.run(sys.argv[1:], capture_output=True)
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            print(json.dumps({"status": done.returncode, "memory": memory,
                              "output": done.stdout[:4000].decode("latin-1"), "errors": done.stderr[:4000].decode("latin-1")}))
            """
        let result = try ExternalTool.run(["python3", "-c", script] + arguments)
        guard let object = try JSONSerialization.jsonObject(with: result.output) as? [String: Any],
            let status = object["status"] as? Int, let memory = object["memory"] as? Int,
            let output = object["output"] as? String, let errors = object["errors"] as? String
        else { throw Failure(description: result.errorText) }
        return Outcome(status: Int32(status), memory: memory, output: output, errors: errors)
    }
}
