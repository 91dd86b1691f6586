// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc update`.
package struct UpdateArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "update",
        abstract: "Bring an archive to the newest edition of a release folder.",
        discussion: """
            webarc update reads the signed list of a release folder, and loads the cheapest choice: a patch, several patches one \
            after another, or the whole archive. It verifies the new edition before it replaces the old one, and keeps the old one as \
            FILE.previous, unless it is damaged. A run continues where an interrupted run stopped. webarc refuses a list that is older than the archive or than the record \
            of editions, an expired list, and anything that the keys did not sign, and leaves the archive as it is. A key that its owner revoked \
            counts no more, for good.

            --back verifies FILE.previous and exchanges it for FILE. The edition that it rejects, named in FILE.rejected, is not installed again; the next higher one is. The record \
            of editions then has the older edition, so that serve and kiosk take it: the record in the state folder and that of a kiosk there, or else the file that --sequences \
            names. --back a second time takes it back.

            If the file is not there, webarc loads it. A damaged file is replaced when a newer edition comes, or at once with --verify, or if it cannot be opened.

            EXAMPLES:
              webarc update site.webarc --from https://downloads.example/site --key publisher.pub
              webarc update site.webarc --from /media/stick/site --key publisher.pub
              webarc update site.webarc --back --key publisher.pub

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .unavailable, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The archive.", completion: .file(extensions: ["webarc"]))
    package var file: String

    @Option(
        help: ArgumentHelp("The release folder: its http or https address, or its path.", valueName: "address"),
        completion: .directory)
    package var from: String?

    @Flag(help: "Go back to the previous edition, FILE.previous.")
    package var back = false

    @Flag(help: "Read and prove the archive if it is the newest edition, and load it again if it is damaged.")
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
        guard !trust.requireKey.isEmpty else { throw ValidationError("no key of the publisher; name it with --key") }
        guard back != (from != nil) else {
            throw ValidationError(back ? "--back takes no --from" : "no release folder; name it with --from")
        }
        if back, verify { throw ValidationError("--back takes no --verify; it verifies the previous edition always") }
    }
}
