// SPDX-License-Identifier: Apache-2.0

package import WebArchive
import WebArchivePresentation

/// The words of a progress line, the most important ones first.
package struct ProgressText {
    private let parts: [String]

    /// Creates a line of words; it has at least one.
    init(_ parts: [String]) { self.parts = parts }

    /// Creates the words. `seconds` is the time since the work began, and `noun` the plural of its items, which count alone if there are no bytes.
    package init(verb: String, progress: WorkProgress, seconds: Double, noun: String = "files") {
        var parts = [verb]
        let bytes = Double(progress.bytes)
        if let total = progress.totalBytes, total > 0 {
            let share = min(bytes / Double(total), 1)
            parts.append("\(Int(100 * share)) %")
            parts.append("\(SizeFormat.bytes(progress.bytes)) of \(SizeFormat.bytes(total))")
            if share >= 0.01 { parts.append("\(SizeFormat.duration(seconds / share - seconds)) left") }
        } else if let total = progress.totalItems, total > 0, progress.bytes == 0 {
            let share = min(Double(progress.items) / Double(total), 1)
            parts.append("\(Int(100 * share)) %")
            if share >= 0.01 { parts.append("\(SizeFormat.duration(seconds / share - seconds)) left") }
        } else if progress.totalBytes == nil {
            parts.append(SizeFormat.bytes(progress.bytes))
        }
        if seconds > 0, bytes > 0 { parts.append("\(SizeFormat.bytes(UInt64(bytes / seconds)))/s") }
        if progress.items > 0 {
            let of = progress.totalItems.map { " of \(SizeFormat.count($0))" } ?? ""
            parts.append("\(SizeFormat.count(progress.items))\(of) \(noun)")
        }
        self.parts = parts
    }

    /// Returns as many words as fit a line of this width.
    package func fitting(_ width: Int) -> String {
        var line = parts[0].prefix(max(0, width))
        for part in parts.dropFirst() {
            guard line.count + 2 + part.count <= width else { break }
            line += "  \(part)"
        }
        return String(line)
    }
}
