// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The options of every command that serves archives over HTTP.
package struct ReplayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Where requests are logged: a file, - for standard output, or none.", valueName: "file"))
    package var accessLog = "-"

    @Option(help: ArgumentHelp("Memory for decoded pages: 64M, 1G.", valueName: "size"))
    package var cache = SizeArgument(bytes: 128 << 20)

    @Flag(help: "Leave out the server's own pages: /-/health, /-/metrics and the explorer at /-/.")
    package var noOwnPages = false

    @Option(
        help: ArgumentHelp(
            """
            A name or an address under which the archives and the server's own pages are answered, beside localhost and the address of \
            --host. May be given several times.
            """,
            valueName: "name"))
    package var name: [String] = []

    @Option(help: ArgumentHelp("Connections that are open at a time.", valueName: "number"))
    package var maxConnections = 20_000

    @Option(
        help: ArgumentHelp(
            "Ignore a query parameter, such as a cache buster; * at the end stands for anything. May be given several times.",
            valueName: "name"))
    package var ignoreParameter: [String] = []

    @OptionGroup package var threads: ThreadsOption

    package func validate() throws {
        guard maxConnections > 0 else { throw ValidationError("--max-connections takes a number from 1") }
    }

    package init() {}
}
