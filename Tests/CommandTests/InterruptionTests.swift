// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Signals", .serialized)
struct InterruptionTests {
    /// A shell without job control starts what runs in the background with interrupts ignored, which a child would inherit.
    init() { signal(SIGINT, SIG_DFL) }

    /// Files that take level 12 some seconds.
    private func slowSite() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 3)
        let words = (0..<2000).map { _ in UInt64.random(in: 0 ... .max, using: &generator) }
        var bytes: [UInt8] = []
        while bytes.count < 2 << 20 {
            let word = words[Int.random(in: 0..<words.count, using: &generator)]
            withUnsafeBytes(of: word) { bytes += $0.prefix(5) }
        }
        for number in 0..<24 { try folder.write("site/\(number).txt", bytes[(number * 1000)...]) }
        return folder
    }

    private func signalled(_ signal: Int32, _ arguments: [String], in folder: TemporaryFolder) throws -> (Int32, String)
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: WebarcTool.path)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        let errors = Pipe()
        process.standardError = errors
        func length(_ path: String) -> UInt64? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? UInt64
        }
        let archive = folder.path("s.webarc").string
        let former = length(archive)
        let written = former == nil ? archive + ".partial" : archive
        try process.run()
        // By then the file has more than a header, and all of it is to go.
        #expect(waits { !process.isRunning || (length(written) ?? 0) >= (former ?? 0) + 4096 })
        #expect(process.isRunning, "it was done before the signal came")
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        return (process.terminationStatus, String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func interruptedPackingLeavesNothing(_ signal: Int32) throws {
        let folder = try slowSite()
        let (status, errors) = try signalled(
            signal, ["pack", "site", "-o", "s.webarc", "--level", "12", "--threads", "1"], in: folder)
        #expect(status == 130)
        #expect(errors.split(separator: "\n").count == 1 && errors.hasPrefix("webarc: "), "\(errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["site"])
    }

    #if os(Linux)
        /// The signal arrives before the lock is taken: the file under the temporary name is an input, or that of another writer.
        @Test(arguments: [true, false]) func filesOfOthersStay(isInput: Bool) throws {
            let folder = try TemporaryFolder()
            // Reading so many rules comes before the lock, and takes a while.
            try folder.write("site/_redirects", (0..<99_000).map { "/a\($0)/:b/* /c/:b/:splat\n" }.joined().utf8)
            let partial = folder.path("s.webarc.partial")
            if isInput { try folder.write("s.webarc.partial", [1, 2, 3]) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: WebarcTool.path)
            process.arguments = ["pack", "site", "-o", "s.webarc"] + (isInput ? ["s.webarc.partial"] : [])
            process.currentDirectoryURL = folder.url
            process.standardError = FileHandle.nullDevice
            try process.run()
            // Until the handler waits for the signal, it is ignored.
            let status = "/proc/\(process.processIdentifier)/status"
            #expect(
                waits {
                    let line = (try? String(contentsOfFile: status, encoding: .utf8))?.split(separator: "\n")
                        .first { $0.hasPrefix("SigCgt:") }
                    let signals = line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) }
                    return (signals ?? 0) >> UInt64(SIGINT - 1) & 1 == 1 || !process.isRunning
                })
            if !isInput {
                let file = try FileDescriptor.open(
                    partial, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
                try file.closeAfter { _ = try file.writeAll([1, 2, 3]) }
            }
            kill(process.processIdentifier, SIGINT)
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            #expect(try folder.read("s.webarc.partial") == [1, 2, 3])
        }
    #endif

    @Test func interruptedAppendingLeavesTheArchive() throws {
        let folder = try slowSite()
        try folder.write("small/index.html", "x".utf8)
        #expect(try WebarcTool.run("pack", "small", "-o", "s.webarc", in: folder.url).status == 0)
        let before = try WebarcTool.run("ls", "s.webarc", "--json", in: folder.url).text
        let arguments = ["pack", "site", "-o", "s.webarc", "--append", "--level", "12", "--threads", "1"]
        #expect(try signalled(SIGINT, arguments, in: folder).0 == 130)
        #expect(!FileManager.default.fileExists(atPath: folder.path("s.webarc.partial").string))
        #expect(try WebarcTool.run("ls", "s.webarc", "--json", in: folder.url).text == before)
        #expect(try WebarcTool.run("verify", "s.webarc", in: folder.url).status == 0)
        #expect(try WebarcTool.run("pack", "small", "-o", "s.webarc", "--append", in: folder.url).status == 0)
    }
}
