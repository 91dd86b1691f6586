// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Synchronization
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveURLProtocol
import WebarcCommandLine

struct FetchCommand: ParsableCommand {
    static let configuration = FetchArguments.command

    @OptionGroup var arguments: FetchArguments

    func run() throws {
        let urls = try arguments.url.map { try WebURLArgument($0) }
        let template = try arguments.request.read()
        let archive = try arguments.storing.archive(FilePath(arguments.output))
        let keep = { @Sendable in Self.keep(archive) }
        let status = try Interruption.guarding(finishing: keep) {
            let status = try load(urls, template, into: archive)
            try arguments.storing.close(archive)
            return status
        }
        if status != .done { throw status.exitCode }
    }

    /// Loads one URL after the other, and returns the worst of their statuses.
    private func load(
        _ urls: [WebURLArgument], _ template: RequestTemplate, into archive: RecordingArchive
    ) throws -> ExitStatus {
        let trouble = Mutex<ArchiveError?>(nil)
        archive.onFailure = { error in trouble.withLock { $0 = error } }
        let session = ArchiveSession(recording: archive, .networkOnly, rules: arguments.storing.rules, offline: false)
        var status = ExitStatus.done
        for (number, url) in urls.enumerated() {
            // Loading is useless if the result cannot be written.
            if let error = trouble.withLock({ $0 }) { throw error.at(path: arguments.output) }
            let place = urls.count > 1 ? "\(number + 1) of \(urls.count): " : ""
            let result = arguments.progress.showing("Fetching \(place)\(PrintableText.escaped(url.text))") { line in
                Result { try session.load(url.url, template) { line?.update(bytes: 0, of: 0) } }
            }
            switch result {
            case .success(let response):
                try show(FetchReport(url.text, template.method, response))
            case .failure(let error):
                let failure = LoadFailure(error)
                status = max(status, failure.status)
                try show(failure, url.text, template.method)
            }
        }
        return status
    }

    private func show(_ report: FetchReport) throws {
        if arguments.json.isOn {
            try StandardOutput.shared.json(report.json)
        } else {
            try StandardOutput.shared.line(report.line)
        }
        for warning in report.warnings { Diagnostics.warn(warning) }
        try StandardOutput.shared.flush()
    }

    private func show(_ failure: LoadFailure, _ url: String, _ method: String) throws {
        if arguments.json.isOn { try StandardOutput.shared.json(FetchReport.json(url, method, failure)) }
        failure.report(url)
    }

    /// Saves the received responses after a request to end.
    private static func keep(_ archive: RecordingArchive) -> String {
        do {
            try archive.close()
            return "the responses so far are stored"
        } catch {
            return Diagnostics.text(of: error)
        }
    }
}
