// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive
import WebarcCommandLine

/// A reason why a URL could not be loaded, in the terms of this program.
struct LoadFailure {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    /// In one line, without a full stop.
    var message: String {
        if let archiveError { return Diagnostics.text(of: archiveError) }
        let text = error.localizedDescription
        return text.last == "." ? String(text.dropLast()) : text
    }

    /// The number of the loading system's error, -1004 for a host that does not answer.
    var code: Int { (error as NSError).code }

    /// The archive's own error, where that is the reason.
    var archiveError: ArchiveError? { (error as NSError).userInfo[NSUnderlyingErrorKey] as? ArchiveError }

    /// The status that belongs to it: a limit or the system may be in the way, where a server is not.
    var status: ExitStatus {
        switch archiveError?.code {
        case .limitExceeded: .damaged
        case .io: .ioError
        default: .unavailable
        }
    }

    /// Tells a person.
    func report(_ url: String) { Diagnostics.report("\(url): \(message)") }
}
