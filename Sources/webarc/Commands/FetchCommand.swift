// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Synchronization
import SystemPackage
import WebArchiveURLProtocol

struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Load URLs and record them in an archive.",
        discussion: """
            Loads one URL after the other as an app with the protocol handler does, and records every answer and every redirect on the way. Links \
            in pages are not followed. An archive that is there already is added to; newer answers go first.

            One line for each URL tells the status, the length, the type, and where redirects led. Whatever the status, the answer \
            is stored; a URL that cannot be loaded is reported, and the others are loaded all the same.

            EXAMPLES:
              webarc fetch https://example.org/ https://example.org/a.css -o site.webarc
              webarc fetch https://example.org/api -o api.webarc \\
                  --header 'Accept: application/json'
              webarc fetch https://example.org/search -o api.webarc --data 'q=swift'
              webarc fetch https://example.org/upload -o api.webarc \\
                  --method PUT --data @photo.jpg --header 'Content-Type: image/jpeg'

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .unreachable, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The URLs to load.")
    var url: [String]

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The archive to write or to add to.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String

    @OptionGroup(title: "REQUEST") var request: RequestOptions
    @OptionGroup(title: "STORING") var storing: StoringOptions
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        for url in url { _ = try WebURLArgument(url) }
        guard !output.isEmpty else { throw ValidationError("--output takes the name of a file") }
    }

    func run() throws {
        let urls = try url.map { try WebURLArgument($0) }
        let template = try request.read()
        let archive = try storing.archive(FilePath(output))
        let keep = { @Sendable in Self.keep(archive) }
        let failures = try Interruption.guarding(finishing: keep) {
            let failures = try load(urls, template, into: archive)
            try storing.close(archive)
            return failures
        }
        if failures > 0 { throw ExitStatus.unreachable.exitCode }
    }

    /// Loads one after the other, and gives the number of those that could not be loaded.
    private func load(
        _ urls: [WebURLArgument], _ template: RequestTemplate, into archive: RecordingArchive
    ) throws -> Int {
        let trouble = Mutex<ArchiveError?>(nil)
        archive.onFailure = { error in trouble.withLock { $0 = error } }
        let session = ArchiveSession(recording: archive, .networkOnly, rules: storing.rules, offline: false)
        var failures = 0
        for (number, url) in urls.enumerated() {
            // There is no use in loading what cannot be written.
            if let error = trouble.withLock({ $0 }) { throw error.at(path: output) }
            let place = urls.count > 1 ? "\(number + 1) of \(urls.count): " : ""
            let result = progress.showing("Fetching \(place)\(PrintableText.escaped(url.text))") { line in
                Result { try session.load(url.url, template) { line?.update(bytes: 0, of: 0) } }
            }
            switch result {
            case .success(let answer):
                try show(FetchReport(url.text, template.method, answer, maximumLength: storing.maxSize.bytes))
            case .failure(let error):
                failures += 1
                try show(LoadFailure(error), url.text, template.method)
            }
        }
        return failures
    }

    private func show(_ report: FetchReport) throws {
        if json.isOn {
            try StandardOutput.shared.json(report.json)
        } else {
            try StandardOutput.shared.line(report.line)
        }
        for warning in report.warnings { Diagnostics.warn(warning) }
        try StandardOutput.shared.flush()
    }

    private func show(_ failure: LoadFailure, _ url: String, _ method: String) throws {
        if json.isOn { try StandardOutput.shared.json(FetchReport.json(url, method, failure)) }
        failure.report(url)
    }

    /// On a request to end: what has come is not thrown away.
    private static func keep(_ archive: RecordingArchive) -> String {
        do {
            try archive.close()
            return "what had come is stored"
        } catch {
            return Diagnostics.text(of: error)
        }
    }
}
