// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
package import WebArchive
import WebArchivePresentation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The messages on standard error: one line for each fault, with its remedy.
package enum Diagnostics {
    /// Returns the text `webarc: PATH: fault (byte N); remedy`.
    package static func text(of error: ArchiveError, withAdvice: Bool = true) -> String {
        if withAdvice, let cause = error.cause as? Errno, [.noSuchFileOrDirectory, .notDirectory].contains(cause),
            let text = error.path.flatMap({
                MissingPath.text(FilePath($0), as: error.message.contains("folder") ? "folder" : "file")
            })
        {
            return text
        }
        var text = error.path.map { "\($0): " } ?? ""
        text += error.message
        if let cause = error.cause { text += ": \(cause)" }
        if let offset = error.offset { text += " (byte \(offset))" }
        let isGeneral = withAdvice && !error.message.contains(";")
        if let advice = advice(on: error.recovery) ?? (isGeneral ? advice(on: error) : nil) { text += "; \(advice)" }
        return text
    }

    /// Returns the options of the commands for the recoveries that the libraries suggest.
    private static func advice(on recovery: ArchiveError.Recovery?) -> String? {
        switch recovery {
        case .leaveOut: "leave it out with --exclude"
        case .allowOutsideLinks: "pack with --allow-outside-links, or leave it out with --exclude"
        case .overwrite: "replace it with --force"
        case .separateHosts: "unpack with --layout host, or choose one with --url"
        case .raiseLimit: "raise the limit with --max-size"
        case .makeAuthority: "create a new one with webarc ca create --force"
        case .nameHosts: "choose hosts with --host"
        case .ownAuthority: "create a separate authority with --host NAME --authority FOLDER"
        case .ownFolder: "choose a file or a folder of your own"
        case .replaceAuthority: "replace it with --force, or create another with --authority FOLDER"
        case .otherPort: "choose another port with --port"
        case .unprivilegedPort: "ports below 1024 need privileges; choose another with --port"
        case .ownAddress: "choose an address of this machine with --host"
        case .joinParts: "join the parts with webarc join; commands that read also accept the first part, NAME.001"
        case .openFirstPart: "give that part"
        case .copyAgain: "fetch or copy the file again"
        case .unpackFirst: "unpack it, then pack the folder with webarc pack"
        case .savePagesFirst:
            "save its pages as files with a program for that format, then pack the folder with webarc pack"
        case .importFirst: "import it with webarc import"
        case .packFirst: "pack it first with webarc pack"
        case .compactFirst: "run webarc compact first"
        case .signAgain: "sign it again, or run webarc compact"
        case .raiseSequence: "sign it with a higher --sequence"
        case .keepSeries: "pack it with --like and the previous edition, or with the same --base-url"
        case .signWithFormerKey:
            "sign with its key as well, give the endorsement of the new key with --endorsement, or name its public key with --former-key if the secret key is lost"
        case .trustNewKey: "give the publisher's new public key with --key, or ask for a list with an endorsement of it"
        case .nameReleaseFolder: "give the address of a folder of webarc release"
        case .acceptExpired: "ask the publisher to release again, or take it with webarc update --allow-expired"
        case .makeKey: "create one with webarc key create"
        case .decryptKey: "decrypt it with openssl pkey, and pass the output as -"
        case .makeEndorsement: "create one with webarc key endorse"
        case .nameBrowser: "check --browser"
        case .installBrowser:
            "install Chromium (on Debian: apt install chromium), Firefox or cog, or choose one with --browser"
        case .startHeadless: "start in a graphical session, or with --headless"
        default: nil
        }
    }

    private static func advice(on error: ArchiveError) -> String? {
        switch error.code {
        case .notAnArchive: "check that it is an archive and was transferred completely"
        case .unsupportedVersion, .unsupportedFeature: "use a newer version of webarc"
        case .damaged: "webarc verify lists all damage; intact entries remain readable"
        case .truncated: "fetch or copy the file again"
        case .alreadyExists: "choose another name, or use --force"
        case .locked: "try again when it has ended"
        case .changed: "try again when nothing writes to it"
        case .limitExceeded: nil
        case .io: advice(on: error.cause as? Errno)
        default: nil
        }
    }

    private static func advice(on error: Errno?) -> String? {
        switch error {
        case .noSuchFileOrDirectory: "check the name"
        case .permissionDenied, .notPermitted: "check the permissions"
        case .noSpace, .diskQuotaExceeded: "free some space and try again"
        case .readOnlyFileSystem: "choose another folder with -o or -C"
        default: nil
        }
    }

    /// Prints one line. A message never spans several, and never moves the cursor.
    package static func report(_ text: String) { say("webarc: \(text)") }

    /// Prints a line on standard error that is not a fault.
    package static func say(_ text: String) {
        try? StandardOutput.shared.flush()
        ProgressLine.clearCurrent()
        _ = try? FileDescriptor.standardError.writeAll(Array("\(PrintableText.escaped(text))\n".utf8))
    }

    /// Whether standard error is a terminal.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    package static func warn(_ text: String) { report("warning: \(text)") }

    /// The number of lines of one kind that a terminal shows.
    package static let shownLines = 20

    /// Reports many texts of a kind: all of them, but on a terminal only the first ones and the number of others.
    ///
    /// - Parameter noun: the subject of a line, in the singular.
    package static func warn(_ texts: [String], _ noun: String) {
        let shown = isTerminal && texts.count > shownLines ? shownLines : texts.count
        for text in texts.prefix(shown) { warn(text) }
        let rest = texts.count - shown
        if rest > 0 { report("\(SizeFormat.count(rest, "more \(noun)")); a pipe or --json gets them all") }
    }

    package static func report(_ error: ArchiveError) { report(text(of: error)) }

    /// The maximum number of characters of a URL in a message.
    private static let maximumURLLength = 500

    /// Reports a failure that concerns one URL, of which there may be many.
    package static func report(_ error: ArchiveError, url: String) {
        let shown = url.count > maximumURLLength ? "\(url.prefix(maximumURLLength))…" : url
        let named = ArchiveError(
            error.code, "\(shown): \(error.message)", path: error.path, offset: error.offset, cause: error.cause,
            recovery: error.recovery)
        report(text(of: named, withAdvice: false))
    }

    /// Reports an error, and ends the process with its status.
    ///
    /// - Parameter root: the program's root command.
    static func exit(with error: any Error, of root: any ParsableCommand.Type) -> Never {
        try? StandardOutput.shared.flush()
        if let error = error as? ArchiveError {
            report(error)
            leave(ExitStatus(error.code).rawValue)
        }
        if let code = error as? ExitCode { leave(code.rawValue) }
        let status = root.exitCode(for: error)
        // Help and completion scripts are not failures, and go to standard output.
        if status == .success { root.exit(withError: error) }
        let message = UsageMessage.rewritten(root.message(for: error).trimmedToOneLine)
        report(message + (message.hasSuffix("?") ? " See " : "; see ") + helpCommand(root))
        leave(ExitStatus.usage.rawValue)
    }

    private static func leave(_ status: Int32) -> Never {
        ProgressLine.clearCurrent()
        #if canImport(Darwin)
            Darwin.exit(status)
        #else
            Glibc.exit(status)
        #endif
    }

    private static func helpCommand(_ root: any ParsableCommand.Type) -> String {
        let names = root.configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases }
        let given = CommandLine.arguments.dropFirst().first { names.contains($0) }
        return "\(root._commandName) \(given.map { "\($0) " } ?? "")--help"
    }
}

extension String {
    /// The text in one line, without a full stop at its end.
    fileprivate var trimmedToOneLine: String {
        var text = split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " })
        }.joined(separator: " ")
        if text.last == "." { text.removeLast() }
        return text
    }
}
