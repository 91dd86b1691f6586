// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc update`.
package struct UpdateArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "update",
        abstract: "Update an archive to the newest edition in a release folder.",
        discussion: """
            webarc update reads the signed list of a release folder, and loads the smallest choice: a patch, a sequence of \
            patches, or the whole archive. It verifies the new edition before it replaces the old one, and keeps the old one as \
            FILE.previous, unless it is damaged. A run continues where an interrupted run stopped. webarc rejects a list that is older than the archive or the sequence \
            record, an expired list, and anything that is not signed by the keys, and leaves the archive unchanged. Revocation of a key \
            is permanent.

            --back verifies FILE.previous and exchanges it with FILE. The rejected edition, recorded in FILE.rejected, is not reinstalled; a higher edition is. webarc lowers \
            the sequence record, so that serve and kiosk accept the older edition: the record in the state folder and that of a kiosk there, or else the file given with --sequences. \
            A second --back undoes the first.

            If the file does not exist, webarc loads it. A damaged file is replaced by the next edition, or immediately with --verify or if it cannot be opened.

            EXAMPLES:
              webarc update site.webarc --key publisher.pub \\
                  --from https://downloads.example/site
              webarc update site.webarc --from /media/stick/site --key publisher.pub
              webarc update site.webarc --back --key publisher.pub

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .unavailable, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The archive.", completion: .file(extensions: ["webarc"]))
    package var file: String

    @Option(
        help: ArgumentHelp("The release folder: an http or https URL, or a path.", valueName: "address"),
        completion: .directory)
    package var from: String?

    @Flag(help: "Roll back to the previous edition, FILE.previous.")
    package var back = false

    @Flag(help: "Verify the archive if it is the newest edition, and load it again if it is damaged.")
    package var verify = false

    @Flag(help: "Accept an expired list.")
    package var allowExpired = false

    @OptionGroup package var trust: TrustOptions
    @OptionGroup package var sequenceRecord: SequenceRecordOption
    @OptionGroup package var threads: ThreadsOption
    @OptionGroup package var json: JSONOption
    @OptionGroup package var progress: ProgressOptions

    package init() {}

    package func validate() throws {
        guard !trust.requireKey.isEmpty else { throw ValidationError("no publisher key; give one with --key") }
        guard back != (from != nil) else {
            throw ValidationError(back ? "--back excludes --from" : "no release folder; give one with --from")
        }
        if back, verify {
            throw ValidationError("--back excludes --verify; --back always verifies the previous edition")
        }
    }
}
