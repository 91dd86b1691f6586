// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of every command that may take long.
package struct ProgressOptions: ParsableArguments {
    @Flag(
        name: [.short, .long],
        help: "Print only errors and warnings. Progress and the summary appear only on a terminal.")
    package var quiet = false

    package init() {}

    /// Runs `work` with a line that shows its progress.
    package func showing<Value>(_ verb: String, _ work: (ProgressLine?) throws -> Value) rethrows -> Value {
        let line = ProgressLine(verb, isQuiet: quiet)
        defer { line?.end() }
        return try work(line)
    }

    /// Reports a change, also where a log is written.
    package func tell(_ text: String) {
        if !quiet { Diagnostics.say(text) }
    }

    /// Reports the result to a person, but not to a pipe.
    package func summarise(_ text: String) {
        if !quiet, Diagnostics.isTerminal { Diagnostics.say(text) }
    }
}
