// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// `webarc` by itself, and with a stand-in for the program that loads from the network.
@Suite struct NetworkProgramTests {
    private let folder: TemporaryFolder
    private let webarc: String
    private let commands = [["fetch", "http://a/", "-o", "x"], ["get", "http://a/", "x"]]

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("bin"), withIntermediateDirectories: true)
        webarc = folder.path("bin/webarc").string
        try FileManager.default.copyItem(atPath: WebarcTool.path, toPath: webarc)
    }

    private func run(
        _ program: String, _ arguments: [String], input: String = "", path: String = "bin"
    ) throws -> ExternalTool.Result {
        let environment = ProcessInfo.processInfo.environment.merging(["PATH": folder.path(path).string]) { $1 }
        return try ExternalTool.run(
            [program] + arguments, input: Data(input.utf8), in: folder.url, environment: environment)
    }

    /// Writes a program that prints its arguments and its input, and ends with 7.
    private func writeProgram(_ name: String) throws {
        let script = "#!/bin/sh\nprintf '<%s>' \"$@\"\nread line\necho \"$line\"\necho trouble >&2\nexit 7\n"
        let path = try folder.write(name, script.utf8).string
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    @Test func argumentsStreamsAndTheStatusGoThrough() throws {
        try writeProgram("bin/webarc-net")
        let arguments = ["fetch", "http://a/?q=a b", "-o", "x\ny", "-H", "A: \"*\" $1", "--data", "@-"]
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link").string, withDestinationPath: webarc)
        for program in [webarc, folder.path("link").string] {
            let result = try run(program, arguments, input: "from the input\n", path: "empty")
            #expect(result.status == 7 && result.errorText == "trouble\n", "\(result.errorText)")
            #expect(result.text == arguments.map { "<\($0)>" }.joined() + "from the input\n")
        }
        #expect(try run(webarc, commands[1], path: "empty").text.hasPrefix("<get><http://a/><x>"))
    }

    @Test func theProgramBesideGoesBeforeTheOneInPATH() throws {
        try writeProgram("other/webarc-net")
        #expect(try run(webarc, commands[0], path: "other").status == 7)
        let beside = try folder.write("bin/webarc-net", "#!/bin/sh\nexit 8\n".utf8).string
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: beside)
        #expect(try run(webarc, commands[0], path: "other").status == 8)
    }

    @Test func withoutTheProgramTwoCommandsSayWhatToInstallAndNothingElseIsAmiss() throws {
        for command in commands {
            let result = try run(webarc, command)
            #expect(result.status == 69 && result.output.isEmpty && result.errorLines.count == 1)
            #expect(result.errorText.contains("webarc-net") && result.errorText.contains("install"))
            let wrong = try run(webarc, [command[0], "--nonsense"])
            #expect(wrong.status == 64 && wrong.errorText.hasSuffix("see webarc \(command[0]) --help\n"))
            let help = try run(webarc, [command[0], "--help"])
            #expect(help.status == 0 && help.text.contains("--user-agent"))
        }
        #expect(try run(webarc, ["--version"]).status == 0)
    }

    @Test func foldersOfPATHThatAreClosedToThisUserEndNoSearch() throws {
        try writeProgram("closed/webarc-net")
        try writeProgram("open/webarc-net")
        let closed = folder.path("closed").string
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: closed)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed) }
        // Root enters every folder.
        let isOpen = access(closed, X_OK) == 0
        #expect(try run(webarc, commands[0], path: "closed").status == (isOpen ? 7 : 69))
        let open = folder.path("open").string
        #expect(try run(webarc, commands[0], path: "closed:\(open)").status == 7)
    }

    @Test func aProgramThatCannotBeRunEndsWith74() throws {
        try folder.write("bin/webarc-net", "#!/no/interpreter\n".utf8)
        let result = try run(webarc, commands[0])
        #expect(result.status == 74 && result.errorLines.count == 1)
        #expect(result.errorText.contains(folder.path("bin/webarc-net").string), "\(result.errorText)")
    }

    @Test func theProgramHasTheSameCommandsByItself() throws {
        let program = WebarcTool.path + "-net"
        for command in commands {
            let help = try ExternalTool.run([program, command[0], "--help"])
            let shown = try WebarcTool.run(command[0], "--help")
            let usage = "USAGE: webarc"
            #expect(help.text.replacingOccurrences(of: usage + "-net", with: usage) == shown.text)
        }
        let wrong = try ExternalTool.run([program, "get"])
        #expect(wrong.status == 64 && wrong.errorText.hasSuffix("see webarc-net get --help\n"), "\(wrong.errorText)")
    }
}
