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
            abstract: "Manage the certificate authority that issues certificates for archived hosts.",
            discussion: """
                A browser trusts https:// pages from an archive if it trusts this authority. The authority can certify only the hosts of the archives for which it was \
                created. webarc excludes single-label names other than localhost, and public suffixes such as co.uk. A name does not cover \
                its subdomains, with one exception: if a host and one of its subdomains are both in the archives, the authority's key could sign for every subdomain of that host. The server \
                issues certificates only for the hosts themselves. Only the owner can read the file with the authority's key.
                """,
            subcommands: subcommands)
    }
}

/// The command line of `webarc ca create`.
package struct CreateAuthorityArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "create",
        abstract: "Create the authority for the hosts of archives.",
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

    @Flag(help: "Replace the existing authority. Browsers must then trust the new one.")
    package var force = false

    @OptionGroup package var authority: AuthorityOption

    package func validate() throws {
        if file.isEmpty, host.isEmpty {
            throw ValidationError("the argument <file> is missing; give archives, or hosts with --host")
        }
    }

    package init() {}
}

/// The command line of `webarc ca show`.
package struct ShowAuthorityArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "show", abstract: "Show the authority's hosts and fingerprints.",
        discussion: ExitStatus.explanation(of: [.done, .usage, .ioError]))

    @OptionGroup package var authority: AuthorityOption
    @OptionGroup package var json: JSONOption

    package init() {}
}
