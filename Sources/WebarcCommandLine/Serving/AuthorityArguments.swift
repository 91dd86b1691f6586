// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command lines of `webarc ca`.
package enum AuthorityArguments {
    /// Returns the configuration.
    ///
    /// - Parameter subcommands: the commands `create` and `show`.
    package static func command(_ subcommands: [any ParsableCommand.Type]) -> CommandConfiguration {
        CommandConfiguration(
            commandName: "ca",
            abstract: "Create and show the certificate authority with which this device certifies archived hosts.",
            discussion: """
                A browser trusts https:// pages from an archive if it trusts this authority. It can certify the hosts of the archives that it was created \
                for, and no others. webarc excludes single-label names other than localhost, and public suffixes such as co.uk. A name does not cover \
                its subdomains, with one exception: If a host and one of its subdomains are both in the archives, the authority's key could sign for every subdomain of that host. In any case, the server \
                issues certificates only for the hosts themselves. The authority's key is in a file that only its owner can read.
                """,
            subcommands: subcommands)
    }
}

/// The command line of `webarc ca create`.
package struct CreateAuthorityArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "create",
        abstract: "Create the authority, for the hosts of some archives.",
        discussion: """
            EXAMPLES:
              webarc ca create site.webarc
              webarc ca create *.webarc --host example.org --force

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError]))
            """)

    @Argument(help: "The archives whose hosts it certifies.", completion: .file(extensions: ["webarc"]))
    package var file: [String] = []

    @Option(help: ArgumentHelp("A host to add. May be given several times.", valueName: "name"))
    package var host: [String] = []

    @Flag(help: "Replace the authority that is there; browsers have to trust the new one.")
    package var force = false

    @OptionGroup package var authority: AuthorityOption

    package func validate() throws {
        if file.isEmpty, host.isEmpty {
            throw ValidationError("The argument file is missing; name the archives, or hosts with --host")
        }
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
