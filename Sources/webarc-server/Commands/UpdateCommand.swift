// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveUpdateClient
import WebArchiveUpdates
import WebarcCommandLine

struct UpdateCommand: ParsableCommand {
    static let configuration = UpdateArguments.command

    @OptionGroup var arguments: UpdateArguments

    func run() throws {
        guard let trust = try arguments.trust.trust() else { throw ValidationError("no key of the publisher") }
        let source = try arguments.from.map { text throws(ArchiveError) in try ReleaseAddress.source(text) }
        var updater = ArchiveUpdater(FilePath(arguments.file), from: source ?? FolderUpdateSource(""), trust: trust)
        updater.threads = arguments.threads.count
        if arguments.allowExpired { updater.time = nil }
        let outcome = try arguments.progress.showing("Updating") { line in
            try Interruption.guarding(FilePath(arguments.file)) {
                try arguments.back ? updater.goBack() : updater.run { line?.update($0) }
            }
        }
        try report(outcome)
    }

    private func report(_ outcome: ArchiveUpdater.Outcome) throws {
        let (text, json): (String, [String: JSONValue])
        switch outcome {
        case .current(let sequence):
            text = "edition \(sequence) is the newest"
            json = ["updated": .bool(false), "sequence": .number(sequence)]
        case .updated(let from, let sequence, let patches, let loaded):
            let way = patches == 0 ? "" : " by \(SizeFormat.count(patches, "patch", "patches"))"
            text = "edition \(from.map { "\($0) became " } ?? "")\(sequence)\(way), \(SizeFormat.bytes(loaded)) loaded"
            json = [
                "updated": .bool(true), "from": .number(from), "sequence": .number(sequence),
                "patches": .number(patches),
                "loaded": .number(loaded),
            ]
        }
        if arguments.json.isOn {
            try StandardOutput.shared.json(.object(sorting: json))
        } else {
            arguments.progress.summarise("\(arguments.file): \(text)")
        }
    }
}

/// The address of a release folder on the command line.
enum ReleaseAddress {
    /// Makes the source: an http or https address, or the path of a folder.
    static func source(_ text: String) throws(ArchiveError) -> any UpdateSource {
        text.contains("://") ? try HTTPUpdateSource(text) : FolderUpdateSource(FilePath(text))
    }
}
