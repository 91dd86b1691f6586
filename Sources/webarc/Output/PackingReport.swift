// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePacking
import WebArchivePresentation

/// The result of packing, for a person and for a program.
struct PackingReport {
    private let archive: String
    private let summary: ArchivePacker.Summary

    init(archive: String, _ summary: ArchivePacker.Summary) {
        self.archive = archive
        self.summary = summary
    }

    var text: String {
        let (bytes, length) = (SizeFormat.bytes(summary.bytes), SizeFormat.bytes(summary.archiveLength))
        let text = "\(archive): \(SizeFormat.count(summary.files, "file")), \(bytes) packed into \(length)"
        guard summary.duplicateBytes > 0 else { return text }
        return text + " (\(SizeFormat.bytes(summary.duplicateBytes)) were duplicates)"
    }

    var json: JSONValue {
        [
            "file": .string(archive), "files": .number(summary.files), "entries": .number(summary.entries),
            "bytes": .number(summary.bytes), "duplicateBytes": .number(summary.duplicateBytes),
            "archiveLength": .number(summary.archiveLength), "warnings": .array(summary.warnings.map(Self.json)),
        ]
    }

    private static func json(_ warning: PackingWarning) -> JSONValue {
        [
            "code": .string(warning.code.rawValue), "message": .string(warning.message),
            "path": .string(warning.path), "line": .number(warning.line),
        ]
    }
}
