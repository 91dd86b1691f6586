// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveUpdates
import WebarcCommandLine

struct UpdateCommand: ParsableCommand {
    static let configuration = UpdateArguments.command

    @OptionGroup var arguments: UpdateArguments

    func run() throws {
        guard let trust = try arguments.trust.trust(sequences: arguments.sequenceRecord.record()) else {
            throw ValidationError("no key of the publisher")
        }
        let archive = FilePath(arguments.file)
        let outcome = try arguments.progress.showing("Updating") { line in
            try Interruption.guarding(archive) {
                guard let address = arguments.from else { return try ArchiveUpdater.goBack(archive, trust: trust) }
                var updater = ArchiveUpdater(archive, from: try ReleaseAddress.source(address), trust: trust)
                updater.threads = arguments.threads.count
                if arguments.allowExpired { updater.time = nil }
                return try updater.run { line?.update($0) }
            }
        }
        try report(outcome)
    }

    private func report(_ outcome: ArchiveUpdater.Outcome) throws {
        if arguments.json.isOn {
            try StandardOutput.shared.json(.object(sorting: outcome.json))
        } else {
            arguments.progress.summarise("\(arguments.file): \(outcome.text)")
        }
    }
}
