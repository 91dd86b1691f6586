// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SystemPackage

/// A server of pywb with a collection, which is ended with the test.
public final class PywbServer: Sendable {
    public static let collection = "site"
    public let port: Int
    private let tool: RunningTool

    /// Makes a collection from a WACZ file, and serves it once the port answers.
    public init(_ wacz: FilePath, in folder: URL) throws {
        let place = folder.appending(path: "pywb")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for arguments in [["init", Self.collection], ["add", "--unpack-wacz", Self.collection, wacz.string]] {
            let result = try ExternalTool.run([WebArchivers.tool("wb-manager")] + arguments, in: place)
            guard result.status == 0 else { throw Unexpected("wb-manager \(arguments): \(result.errorText)") }
        }
        // A port that was free a moment ago.
        let port = try UnansweredPort().port
        // A thread of Dispatch blocks its signals, and so would the program, which waits for SIGCHLD.
        let start =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
        tool = try RunningTool([
            "python3", "-c", start, WebArchivers.tool("wayback"), "--bind", "127.0.0.1", "--port", String(port),
            "--directory", place.path,
        ])
        self.port = port
        guard waits(until: { (try? RawClient(port: port)) != nil }) else {
            throw Unexpected("wayback: \(tool.errorText)")
        }
    }
}
