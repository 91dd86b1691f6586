// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A WACZ file as a source of an import.
///
/// Its indexes are not read: the WARC files have all that is in them.
struct WACZSource: ImportSource {
    let hasRecords = true
    private let file: WACZFile

    init(_ file: WACZFile) { self.file = file }

    func add(to run: ImportRun) throws(ArchiveError) {
        for error in file.damage { try run.output.note(error) }
        if file.isSigned { run.output.summary.signedSources += 1 }
        for member in file.archives {
            do throws(ArchiveError) {
                try run.add(SourceFormat.source(reading: file.open(member)), at: file.path(of: member))
            } catch {
                try passOver(error, run)
                run.records.isComplete = false
            }
        }
        var known = Set<ContentDigest>()
        for member in file.pageLists {
            do throws(ArchiveError) {
                try addPages(member, &known, run)
            } catch {
                try passOver(error, run)
            }
        }
        try WACZDescription(file.json).set(in: run)
    }

    /// Notes the damage of a member: others can be whole.
    private func passOver(_ error: ArchiveError, _ run: ImportRun) throws(ArchiveError) {
        guard [.damaged, .truncated, .notAnArchive, .unsupportedFeature].contains(error.code) else { throw error }
        try run.output.note(error)
    }

    /// The cost of a line beside its length, in bytes.
    private static let lineCost = 64

    /// Adds a list of pages.
    ///
    /// - Parameter known: the digests of the pages of earlier lists: a page can be in several.
    private func addPages(
        _ member: ZIPMember, _ known: inout Set<ContentDigest>, _ run: ImportRun
    ) throws(ArchiveError) {
        let input = BufferedInput(try file.open(member))
        let lines = LineReader(input, maximumLength: WACZPage.maximumLineLength)
        var faults = 0
        let before = run.output.budget.readLength
        func note(_ fault: String, _ line: LineReader.Line) throws(ArchiveError) {
            faults += 1
            // Each line of a long list could be wrong.
            guard faults <= 1_000 else { return }
            try run.output.note(ArchiveError(.damaged, fault, path: input.name, offset: line.offset))
        }
        while let line = try lines.next() {
            run.output.budget.readLength = before + input.readLength
            try run.output.budget.decode(line.length + Self.lineCost)
            guard !line.isTooLong else {
                try note("a page with more than \(WACZPage.maximumLineLength) bytes", line)
                continue
            }
            guard !line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
            guard let json = try? JSONText.value(line.bytes) else {
                try note("a page that is not JSON", line)
                continue
            }
            if WACZPage.isHeader(json) { continue }
            guard let page = WACZPage(json) else {
                try note("a page without an absolute URL", line)
                continue
            }
            let identity = "\(page.page.url)\n\(page.page.time?.nanoseconds ?? 0)"
            guard known.insert(ContentDigest(hashing: Array(identity.utf8))).inserted else { continue }
            try run.output.add(page.page, text: page.text)
        }
    }
}

extension WACZDescription {
    /// Sets the metadata of the archive, unless it has them.
    func set(in run: ImportRun) throws(ArchiveError) {
        try run.setMetadata("title", ifMissing: title)
        try run.setMetadata("description", ifMissing: text)
        try run.setMetadata("date", ifMissing: created.flatMap { Timestamp.isDate($0) ? $0 : nil })
        try run.setMetadata(
            MetadataName.mainPage, ifMissing: mainPage.flatMap { (try? CanonicalURL($0)) == nil ? nil : $0 })
    }
}
