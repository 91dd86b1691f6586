// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of every command that may take long.
package struct ProgressOptions: ParsableArguments {
    @Flag(
        name: [.short, .long],
        help: """
            Show neither progress nor a summary; errors and warnings only. webarc shows progress and a summary only if standard error is a terminal.
            """)
    package var quiet = false

    package init() {}

    /// Runs `work` with a way to tell how far it is.
    package func showing<Value>(_ verb: String, _ work: (ProgressLine?) throws -> Value) rethrows -> Value {
        let line = ProgressLine(verb, isQuiet: quiet)
        defer { line?.end() }
        return try work(line)
    }

    /// Tells that something changed, also where a log is written.
    package func tell(_ text: String) {
        if !quiet { Diagnostics.say(text) }
    }

    /// Tells a person what was done; a pipe is told nothing.
    package func summarise(_ text: String) {
        if !quiet, Diagnostics.isTerminal { Diagnostics.say(text) }
    }
}
