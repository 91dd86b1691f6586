// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

struct CatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Write a body to standard output, byte for byte.",
        discussion: """
            Writes the body of the newest response to GET for a URL, or the body with a digest (32 hexadecimal digits, as in ls --json). A path such as \
            /docs/a.html is resolved on the host of the archive's main page.

            EXAMPLES:
              webarc cat site.webarc https://example.org/logo.png > logo.png
              webarc cat site.webarc /docs/a.html
              webarc cat site.webarc https://example.org/old --follow
              webarc cat site.webarc https://example.org/ --head
              webarc cat site.webarc 9e107d9d372bb6826bd81d3542a419d6

            \(ExitStatus.explanation(of: ExitStatus.reading))
            """)

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup var trust: TrustOptions

    @Argument(
        help: ArgumentHelp("A URL, a path that begins with a slash, or a body digest.", valueName: "url|path|digest"))
    var name: String

    @Flag(name: [.customShort("L"), .long], help: "Follow redirects within the archive.")
    var follow = false

    @Flag(name: [.customShort("I"), .long], help: "Print the status and the header fields instead of the body.")
    var head = false

    /// The maximum number of redirects, as in browsers.
    private static let redirectLimit = 20

    func validate() throws {
        if ContentDigest(hexadecimal: name) != nil {
            if head || follow { throw ValidationError("--head and --follow take a URL, not the digest '\(name)'") }
        } else {
            _ = try archivedURL()
        }
    }

    func run() throws {
        let reader = try archive.open(trust: trust.trust())
        do {
            if let digest = ContentDigest(hexadecimal: name) {
                try write(body(digest, in: reader))
            } else {
                try write(entry(archivedURL().url(in: reader), in: reader))
            }
        } catch let error as ArchiveError {
            throw error.at(path: archive.file)
        }
    }

    private func archivedURL() throws -> ArchivedURL {
        do {
            return try ArchivedURL(name)
        } catch {
            throw ValidationError(
                "cat takes a URL, a path that begins with a slash, or a digest, not '\(name)': \(error)")
        }
    }

    private func body(_ digest: ContentDigest, in reader: ArchiveReader) throws(ArchiveError) -> ArchiveBody {
        let bodies = try reader.bodies(digest: digest)
        guard let body = bodies.first else { throw ArchiveError(.notFound, "no body has the digest \(digest)") }
        guard bodies.count == 1 else {
            throw ArchiveError(.notFound, "\(bodies.count) different bodies have the digest \(digest); give the URL")
        }
        return body
    }

    private func entry(_ first: CanonicalURL, in reader: ArchiveReader) throws(ArchiveError) -> ArchiveEntry {
        var url = first
        for _ in 0...Self.redirectLimit {
            guard let entry = try reader.entry(for: url) else {
                throw missing(url, in: reader)
            }
            guard follow, let target = try entry.redirectURL else { return entry }
            url = target
        }
        throw ArchiveError(.notFound, "more than \(Self.redirectLimit) redirects from \(name); they may form a loop")
    }

    private func missing(_ url: CanonicalURL, in reader: ArchiveReader) -> ArchiveError {
        let nearest = try? ArchiveMatcher(reader, options: .exactOnly).explain(MatchRequest(url: url)).nearMisses
            .first { if case .otherMethod = $0 { false } else { true } }
        let hint =
            nearest.map { $0.url == url.description ? "\($0)" : "similar: \($0.url)" }
            ?? "webarc ls lists the stored URLs"
        return ArchiveError(.notFound, "the URL \(url) is not in the archive; \(hint)")
    }

    private func write(_ entry: ArchiveEntry) throws(ArchiveError) {
        guard let response = try entry.response else {
            throw ArchiveError(.notFound, "\(try entry.key) is stored without a response")
        }
        if head {
            try StandardOutput.shared.line(
                PrintableText.escaped("\(response.status) \(response.reason)".trimmingSpaces))
            for field in response.headers {
                try StandardOutput.shared.line(PrintableText.escaped("\(field.name): \(field.value)"))
            }
            return
        }
        if let target = response.redirectTarget {
            Diagnostics.warn("\(archive.file): \(try entry.key) redirects to \(target); follow it with --follow")
        }
        if let body = try entry.body { try write(body) }
    }

    private func write(_ body: ArchiveBody) throws(ArchiveError) {
        try body.forEachBuffer { chunk throws(ArchiveError) in try StandardOutput.shared.write(chunk) }
    }
}

extension String {
    fileprivate var trimmingSpaces: String { last == " " ? String(dropLast()) : self }
}
