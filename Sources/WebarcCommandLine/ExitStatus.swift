// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import WebArchive

/// The exit statuses of the programs. The numbers from 64 on are those of sysexits(3).
package enum ExitStatus: Int32, CaseIterable, Comparable {
    case done = 0
    /// Damage, an exceeded limit, or no result.
    case damaged = 1
    case notAnArchive = 2
    /// The limits of a crawl, whose archive is whole and can be continued.
    case pageLimit = 10
    case depthLimit = 11
    case byteLimit = 12
    case timeLimit = 13
    case diskLimit = 14
    case failureLimit = 15
    case usage = 64
    /// A server or a program that cannot be reached.
    case unavailable = 69
    case cannotCreate = 73
    case ioError = 74
    case busy = 75
    case interrupted = 130

    /// The meaning in the help text of each command.
    package var meaning: String {
        switch self {
        case .done: "success"
        case .damaged:
            "damaged archive, missing signature, exceeded limit, or item not found"
        case .notAnArchive: "not an archive, or an archive of a later version"
        case .pageLimit: "a crawl ended at its number of pages"
        case .depthLimit: "a crawl is complete except for deeper pages"
        case .byteLimit: "a crawl ended at its number of bytes"
        case .timeLimit: "a crawl ended at its time"
        case .diskLimit: "a crawl ended because the disk is nearly full"
        case .failureLimit: "a crawl ended at its number of failures"
        case .usage: "wrong usage"
        case .unavailable: "URL not loaded, or webarc-net or webarc-server not installed"
        case .cannotCreate: "existing file that may not be replaced"
        case .ioError: "read or write error"
        case .busy: "another writer is active, or a file changed while it was read"
        case .interrupted: "stopped by SIGINT or SIGTERM; existing archives are unchanged"
        }
    }

    package static func explanation(of statuses: [ExitStatus]) -> String {
        "EXIT STATUS:\n"
            + statuses.map { status in
                let number = String(status.rawValue)
                return "  \(number)\(String(repeating: " ", count: 5 - number.count))\(status.meaning)"
            }.joined(separator: "\n")
    }

    /// The statuses of a command that reads an archive.
    package static let reading: [ExitStatus] = [.done, .damaged, .notAnArchive, .usage, .ioError]

    package init(_ code: ArchiveError.Code) {
        self =
            switch code {
            case .notAnArchive, .unsupportedVersion, .unsupportedFeature: .notAnArchive
            case .invalidArgument: .usage
            case .alreadyExists: .cannotCreate
            case .io, .poisoned: .ioError
            case .locked, .changed: .busy
            case .cancelled: .interrupted
            // Damaged, truncated, notFound, limitExceeded, and codes of later versions of the library.
            default: .damaged
            }
    }

    package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }

    package var exitCode: ExitCode { ExitCode(rawValue) }
}
