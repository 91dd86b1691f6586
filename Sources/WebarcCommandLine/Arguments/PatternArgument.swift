// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive

/// A pattern for paths and URLs, whose faults an option reports.
struct PatternArgument: ExpressibleByArgument {
    let text: String
    /// The pattern; nil for a malformed one.
    let pattern: GlobPattern?
    private let failure: GlobPattern.Failure?

    init?(argument: String) {
        text = argument
        do {
            pattern = try GlobPattern(argument)
            failure = nil
        } catch {
            pattern = nil
            failure = error
        }
    }

    func check(_ option: String) throws {
        if let failure { throw ValidationError("\(option) takes a pattern, not '\(text)': \(failure)") }
    }
}
