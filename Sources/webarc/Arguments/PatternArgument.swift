// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive

/// A pattern for paths and URLs, of which an option says that it is not well formed.
struct PatternArgument: ExpressibleByArgument {
    let text: String
    /// Nil for one that is not well formed.
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
