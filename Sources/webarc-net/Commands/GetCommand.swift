// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchivePresentation
import WebArchiveURLProtocol
import WebarcCommandLine

struct GetCommand: ParsableCommand {
    static let configuration = GetArguments.command

    @OptionGroup var arguments: GetArguments

    func run() throws {
        let url = try WebURLArgument(arguments.url)
        let policy = arguments.policy
        let template = try arguments.request.read()
        let recording = arguments.record ? try arguments.storing.archive(arguments.archive.path) : nil
        let session =
            if let recording {
                ArchiveSession(
                    recording: recording, policy.value, rules: arguments.storing.rules, offline: policy.offline)
            } else {
                ArchiveSession(
                    reading: try arguments.archive.open(), policy.value,
                    maximumLength: UInt64(arguments.storing.maxSize.bytes), offline: policy.offline)
            }
        let response = try load(url, template, session)
        if !arguments.quiet { tell(response) }
        try write(response)
        try StandardOutput.shared.flush()
        if let recording {
            session.finish()
            try arguments.storing.close(recording)
        }
    }

    private func load(
        _ url: WebURLArgument, _ template: RequestTemplate, _ session: ArchiveSession
    ) throws -> FetchedResponse {
        do {
            return try session.load(url.url, template)
        } catch {
            let failure = LoadFailure(error)
            if let error = failure.archiveError {
                // A limit is the URL's affair, not the file's.
                throw error.at(path: error.code == .limitExceeded ? url.text : arguments.archive.file)
            }
            failure.report(url.text)
            let isMissing = arguments.policy.offline || arguments.policy.policy == .archiveOnly
            throw (isMissing ? ExitStatus.damaged : .unavailable).exitCode
        }
    }

    private func tell(_ response: FetchedResponse) {
        for hop in response.hops {
            var text = "\(hop.url.absoluteString): \(hop.status), \(hop.source.text)"
            if hop.source == .network, hop.recording == .stored { text += ", stored" }
            if let reason = hop.reasonNotStored { text += ", not stored: \(reason.explanation)" }
            Diagnostics.report(text)
        }
    }

    private func write(_ response: FetchedResponse) throws {
        if arguments.head {
            try StandardOutput.shared.line(response.hops.last.map { String($0.status) } ?? "-")
            for field in response.fields {
                try StandardOutput.shared.line(PrintableText.escaped("\(field.name): \(field.value)"))
            }
        } else if let output = arguments.output {
            try OutputFile.write("the body", to: FilePath(output), contents: response.body)
        } else {
            try StandardOutput.shared.write(response.body)
        }
    }
}
