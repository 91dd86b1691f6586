// SPDX-License-Identifier: Apache-2.0

import Logging
import WebarcCommandLine

/// A log handler that forwards the messages of libraries to the diagnostics that the user sees.
struct DiagnosticsLogHandler: LogHandler {
    static let logger = Logger(label: "webarc") { _ in DiagnosticsLogHandler() }

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if event.level >= .warning {
            Diagnostics.report("\(event.level): \(event.message)")
        } else {
            Diagnostics.report("\(event.message)")
        }
    }
}
