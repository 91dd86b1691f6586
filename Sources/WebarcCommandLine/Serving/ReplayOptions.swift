// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The options of every command that serves archives over HTTP.
package struct ReplayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The access log: a file, - for standard output, or none.", valueName: "file"))
    package var accessLog = "-"

    @Option(help: ArgumentHelp("Memory for responses and decoded bodies: 64M, 1G.", valueName: "size"))
    package var cache = SizeArgument(bytes: 128 << 20)

    @Flag(
        help:
            "Disable the server's own pages: /-/health, /-/metrics and the explorer at /-/."
    )
    package var noOwnPages = false

    @Option(
        help: ArgumentHelp(
            """
            An additional host name or IP address under which the server serves the archives and its own pages. localhost and the listening \
            address always work. May be given several times.
            """,
            valueName: "name"))
    package var name: [String] = []

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The maximum number of open connections.", valueName: "number"))
    package var maxConnections = 20_000

    @Option(
        help: ArgumentHelp(
            "Ignore a query parameter, such as a cache buster; * at the end matches anything. May be given several times.",
            valueName: "name"))
    package var ignoreParameter: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Respond with the captures nearest to this time: 2020-01-31 (0:00 UTC), RFC 3339 (2020-01-31T12:00:00Z), or @ and seconds since \
            1970. (default: the newest)
            """, valueName: "time"))
    package var at: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Compress text (gzip, zstd) for clients that accept it: auto (clients on other machines), always, or never.",
            valueName: "when"))
    package var compress = Compression.auto

    /// A choice of the clients that get compressed text.
    package enum Compression: String, CaseIterable, ExpressibleByArgument {
        case auto, always, never
    }

    @OptionGroup package var trust: TrustOptions

    @OptionGroup package var sequenceRecord: SequenceRecordOption

    @OptionGroup package var rules: RuleOptions
    @OptionGroup package var country: CountryOption
    @OptionGroup package var threads: ThreadsOption

    package func validate() throws {
        guard maxConnections > 0 else {
            throw ValidationError("--max-connections takes at least 1, not '\(maxConnections)'")
        }
        if sequenceRecord.sequences != nil, trust.requireKey.isEmpty {
            throw ValidationError("--sequences needs keys; give them with --key")
        }
        for name in name where !Self.isHost(name) {
            throw ValidationError(
                "--name takes a host name or address without scheme and path, such as kiosk.local, not '\(name)'"
            )
        }
        if ignoreParameter.contains("") {
            throw ValidationError("--ignore-parameter takes a parameter name, or * for all, not ''")
        }
    }

    static func check(port: Int) throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port takes a number from 0 to 65535, not '\(port)'")
        }
    }

    /// Returns whether a text is the host of a URL, with or without a port; an IPv6 address may lack its brackets.
    static func isHost(_ text: String) -> Bool {
        var address = in6_addr()
        let isBareIPv6 = inet_pton(AF_INET6, text, &address) == 1
        guard let url = try? CanonicalURL("http://\(isBareIPv6 ? "[\(text)]" : text)/"), let host = url.host else {
            return false
        }
        // A scheme's other parts would be left out in silence: userinfo, path, query, fragment.
        let isAlone = url.userinfo == nil && url.path.elementsEqual("/".utf8) && url.query == nil && !text.contains("#")
        return isAlone && host.allSatisfy { hostBytes.contains($0) }
    }

    private static let hostBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-._:[]".utf8)

    package init() {}
}
