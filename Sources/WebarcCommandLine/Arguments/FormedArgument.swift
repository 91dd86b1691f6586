// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// A value of an option that describes its form in an error.
///
/// ArgumentParser reports the error of a transform, and of a failed `init?(argument:)` only that the value is invalid.
package protocol FormedArgument: Sendable {
    /// The form, as a noun phrase that continues from "takes".
    static var form: String { get }

    init?(argument: String)

    /// The value in the form of a default in the help.
    var defaultValueDescription: String { get }
}

extension FormedArgument {
    package var defaultValueDescription: String { "\(self)" }

    fileprivate static func parse(_ argument: String) throws -> Self {
        guard let value = Self(argument: argument) else { throw ValidationError(form) }
        return value
    }
}

// The next argument is the value in any case, so that -1 is reported as wrong, and not as missing.
extension Option where Value: FormedArgument {
    /// Creates an option with a default.
    package init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp, completion: CompletionKind? = nil
    ) {
        var help = help
        help.abstract += " (default: \(wrappedValue.defaultValueDescription))"
        let parse: @Sendable (String) throws -> Value = { try Value.parse($0) }
        self.init(
            wrappedValue: wrappedValue, name: name, parsing: .unconditional, help: help, completion: completion,
            transform: parse)
    }
}

extension Option {
    /// Creates an option without a default.
    package init<Wrapped: FormedArgument>(
        name: NameSpecification = .long, help: ArgumentHelp, completion: CompletionKind? = nil
    ) where Value == Wrapped? {
        let parse: @Sendable (String) throws -> Wrapped = { try Wrapped.parse($0) }
        self.init(name: name, parsing: .unconditional, help: help, completion: completion, transform: parse)
    }

    /// Creates an option that may be given several times.
    package init<Wrapped: FormedArgument>(
        wrappedValue: [Wrapped], name: NameSpecification = .long, help: ArgumentHelp,
        completion: CompletionKind? = nil
    ) where Value == [Wrapped] {
        let parse: @Sendable (String) throws -> Wrapped = { try Wrapped.parse($0) }
        self.init(
            wrappedValue: wrappedValue, name: name, parsing: .unconditionalSingleValue, help: help,
            completion: completion, transform: parse)
    }
}
