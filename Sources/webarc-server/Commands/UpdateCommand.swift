// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchiveUpdates
import WebarcCommandLine

struct UpdateCommand: ParsableCommand {
    static let configuration = UpdateArguments.command

    @OptionGroup var arguments: UpdateArguments

    func run() throws {
        let record = try arguments.sequenceRecord.record()
        guard let trust = try arguments.trust.trust(sequences: record) else {
            throw ValidationError("no publisher key; give one with --key")
        }
        let archive = FilePath(arguments.file)
        let outcome = try namingOption(of: record) { try change(archive, trust) }
        try report(outcome, records: [record, arguments.sequenceRecord.recordOfKiosk()].compactMap(\.self))
    }

    /// Adds the remedy for a record that cannot be written to an error.
    private func namingOption<Value>(of record: SequenceRecord?, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as ArchiveError
            where error.code == .io && error.path != nil && error.path == record?.path.string
        {
            throw ArchiveError(
                .io, "\(error.message); give another file with --sequences, or none", path: error.path,
                cause: error.cause)
        }
    }

    private func change(_ archive: FilePath, _ trust: ArchiveTrust) throws -> ArchiveUpdater.Outcome {
        try arguments.progress.showing("Updating") { line in
            try Interruption.guarding(archive) {
                guard let address = arguments.from else {
                    return try ArchiveUpdater.rollBack(
                        archive, trust: trust, threads: arguments.threads.count,
                        otherRecords: arguments.sequenceRecord.recordOfKiosk().map { [$0] } ?? [])
                }
                var updater = ArchiveUpdater(archive, from: try ReleaseAddress.source(address), trust: trust)
                updater.threads = arguments.threads.count
                updater.verifiesNewest = arguments.verify
                updater.onPatchFailure = Self.tell
                if arguments.allowExpired { updater.time = nil }
                return try updater.run { line?.update($0) }
            }
        }
    }

    /// Reports a failed patch, which costs each device the whole archive and would otherwise go unnoticed.
    private static func tell(of failure: ArchiveError) {
        Diagnostics.warn("loading the whole archive: \(Diagnostics.text(of: failure, withAdvice: false))")
    }

    private func report(_ outcome: ArchiveUpdater.Outcome, records: [SequenceRecord]) throws {
        if arguments.json.isOn { return try StandardOutput.shared.json(.object(sorting: outcome.json)) }
        let text = arguments.back ? outcome.textOfGoingBack(records: records.map(\.path.string)) : outcome.text
        // A timer's journal has a line for each edition.
        if case .updated = outcome { return arguments.progress.tell("\(arguments.file): \(text)") }
        arguments.progress.summarise("\(arguments.file): \(text)")
    }
}
