// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import WebArchive

/// A pattern for paths and URLs, whose faults an option reports.
package struct PatternArgument: ExpressibleByArgument {
    package let text: String
    /// The pattern; nil for a malformed one.
    package let pattern: GlobPattern?
    private let failure: GlobPattern.Failure?

    package init?(argument: String) {
        text = argument
        do {
            pattern = try GlobPattern(argument)
            failure = nil
        } catch {
            pattern = nil
            failure = error
        }
    }

    /// Checks that the pattern is well-formed.
    package func check(_ option: String) throws {
        if let failure { throw ValidationError("\(option) takes a pattern, not '\(text)': \(failure)") }
    }
}
