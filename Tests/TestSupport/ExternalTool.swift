// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Runs a program that we did not write, or our own as a user would.
public enum ExternalTool {
    public struct Result: Sendable {
        public let status: Int32
        public let output: Data
        public let errors: Data
        public var text: String { String(decoding: output, as: UTF8.self) }
        public var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    /// Runs `arguments[0]`, found by `PATH`, and waits until it ends; by default with the environment of programs in the folder.
    public static func run(
        _ arguments: [String], input: Data = Data(), in folder: URL? = nil, environment: [String: String]? = nil
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = environment ?? ToolEnvironment.inFolder(folder)
        let (inPipe, outPipe, errPipe) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (inPipe, outPipe, errPipe)
        try process.run()
        // Three pipes that are not emptied at once can block each other, so two get a thread.
        let errors = Collector(errPipe.fileHandleForReading)
        let feeder = Thread {
            try? inPipe.fileHandleForWriting.write(contentsOf: input)
            try? inPipe.fileHandleForWriting.close()
        }
        feeder.start()
        let output = outPipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: output, errors: errors.wait())
    }

    private final class Collector: @unchecked Sendable {
        // Written by the thread before it signals, read after the signal.
        private var data = Data()
        private let done = DispatchSemaphore(value: 0)

        init(_ handle: FileHandle) {
            Thread { [self] in
                data = handle.readDataToEndOfFile()
                done.signal()
            }.start()
        }

        func wait() -> Data {
            done.wait()
            return data
        }
    }
}
