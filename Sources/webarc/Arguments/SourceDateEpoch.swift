// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive
import WebarcCommandLine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time that reproducible builds set for their results. Origin: reproducible-builds.org, "SOURCE_DATE_EPOCH".
enum SourceDateEpoch {
    static var time: ArchiveTime? {
        get throws {
            guard let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"], !text.isEmpty else { return nil }
            guard let time = TimeArgument(secondsText: text)?.time else {
                throw ValidationError("SOURCE_DATE_EPOCH takes whole seconds since 1970, not '\(text)'")
            }
            return time
        }
    }
}
