// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command lines of `webarc ca`.
package enum AuthorityArguments {
    /// - Parameter subcommands: `create` and `show`.
    package static func command(_ subcommands: [any ParsableCommand.Type]) -> CommandConfiguration {
        CommandConfiguration(
            commandName: "ca",
            abstract: "Make and show the certificate authority with which this device speaks for archived hosts.",
            discussion: """
                A browser trusts https:// pages from an archive if it trusts this authority. It can speak for the hosts of the archives it was made for, \
                and for no others. Left out are names of one label other than localhost, and public suffixes such as co.uk. A name stands for itself, \
                and for all names below it only where one of those is a host as well; the server makes certificates for the hosts alone. Its key stays in a file that its owner alone can read.
                """,
            subcommands: subcommands)
    }
}

/// The command line of `webarc ca create`.
package struct CreateAuthorityArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "create",
        abstract: "Make the authority, for the hosts of some archives.",
        discussion: """
            EXAMPLES:
              webarc ca create site.webarc
              webarc ca create *.webarc --host example.org --force

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError]))
            """)

    @Argument(help: "The archives whose hosts it is for.", completion: .file(extensions: ["webarc"]))
    package var file: [String] = []

    @Option(help: ArgumentHelp("A host to add. May be given several times.", valueName: "name"))
    package var host: [String] = []

    @Flag(help: "Replace the authority that is there; browsers have to trust the new one.")
    package var force = false

    @OptionGroup package var authority: AuthorityOption

    package func validate() throws {
        if file.isEmpty, host.isEmpty { throw ValidationError("Name the archives, or hosts with --host.") }
    }

    package init() {}
}

/// The command line of `webarc ca show`.
package struct ShowAuthorityArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "show", abstract: "Show the authority's hosts, and how to identify it.",
        discussion: ExitStatus.explanation(of: [.done, .usage, .ioError]))

    @OptionGroup package var authority: AuthorityOption
    @OptionGroup package var json: JSONOption

    package init() {}
}
