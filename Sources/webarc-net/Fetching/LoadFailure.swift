// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive
import WebarcCommandLine

/// A reason why a URL could not be loaded, in the terms of this program.
struct LoadFailure {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    /// The message in one line, without a full stop.
    var message: String {
        if let archiveError { return Diagnostics.text(of: archiveError) }
        let text = error.localizedDescription
        return text.last == "." ? String(text.dropLast()) : text
    }

    /// The number of the loading system's error, -1004 for a host that does not respond.
    var code: Int { (error as NSError).code }

    /// The archive's own error, if that is the reason.
    var archiveError: ArchiveError? { (error as NSError).userInfo[NSUnderlyingErrorKey] as? ArchiveError }

    /// The exit status: a limit or the system may be the reason, instead of a server.
    var status: ExitStatus {
        switch archiveError?.code {
        case .limitExceeded: .damaged
        case .io: .ioError
        default: .unavailable
        }
    }

    /// Reports the failure to a person.
    func report(_ url: String) { Diagnostics.report("\(url): \(message)") }
}
