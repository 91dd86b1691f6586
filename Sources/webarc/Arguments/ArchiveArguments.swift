// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive

/// The archive that a command reads.
struct ArchiveArgument: ParsableArguments {
    @Argument(help: "The archive.", completion: .file(extensions: ["webarc"]))
    var file: String

    var path: FilePath { FilePath(file) }

    func open() throws(ArchiveError) -> ArchiveReader { try ArchiveReader(telling: path) }
}

extension ArchiveReader {
    /// Opens, and tells about a torn tail.
    convenience init(telling path: FilePath) throws(ArchiveError) {
        try self.init(path: path)
        if tornTail > 0 {
            let tail = SizeFormat.count(tornTail, "byte")
            Diagnostics.warn("\(path): the last \(tail) are of a commit that was never finished, and are ignored")
        }
    }
}

/// The options of every command that may take long.
struct ProgressOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Show neither progress nor a summary; errors and warnings only.")
    var quiet = false

    /// Runs `work` with a way to tell how far it is.
    func showing<Value>(_ verb: String, _ work: (ProgressLine?) throws -> Value) rethrows -> Value {
        let line = ProgressLine(verb, isQuiet: quiet)
        defer { line?.end() }
        return try work(line)
    }

    /// Tells a person what was done; a pipe is told nothing.
    func summarise(_ text: String) {
        if !quiet, Diagnostics.isTerminal { Diagnostics.say(text) }
    }
}

struct ThreadsOption: ParsableArguments {
    @Option(help: ArgumentHelp("How many threads work. (default: one for each processor)", valueName: "number"))
    var threads: Int?

    var count: Int { threads ?? Processors.count }

    func validate() throws {
        guard let threads else { return }
        guard (1...1024).contains(threads) else { throw ValidationError("--threads takes a number from 1 to 1024") }
    }
}
