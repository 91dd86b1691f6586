// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A ZIM file as a source of an import.
///
/// It has paths and media types alone: each content becomes the response to a GET with status 200, and each redirect one with status 302. Both are
/// marked as derived. Links are relative, so that one base serves all.
struct ZIMSource: ImportSource {
    let hasRecords = false
    private let file: ZIMFile

    /// - Throws: as ``ZIMFile/init(_:)``.
    init(_ source: any ByteSource) throws(ArchiveError) { file = try ZIMFile(source) }

    func add(to run: ImportRun) throws(ArchiveError) {
        let contents = try ZIMContents(file, run)
        try contents.add()
    }
}

/// The import of one ZIM file.
private final class ZIMContents {
    private let file: ZIMFile
    private let run: ImportRun
    private let output: ImportOutput
    private let urls: ZIMURLs
    private let directory: ZIMDirectory
    private let decoders = ZIMDecoders()
    /// The contents, and the offsets of the redirects.
    private var contents: [Item] = []
    private var redirects: [UInt64] = []
    /// The contents of the namespace for metadata.
    private var metadata: [Item] = []
    /// The entries that name the main page and the icon.
    private var mainPage: ZIMEntry?
    private var icon: ZIMEntry?
    /// The time of all responses: the date of the file.
    private var time: ArchiveTime?
    private var damageCount = 0
    /// The offsets of the clusters that were decoded, with their numbers.
    private var clusters: [UInt64: UInt32] = [:]

    /// A content, and the offset of its entry: there may be tens of millions.
    private struct Item {
        let blob: ZIMBlob
        let offset: UInt64
    }

    private static let maximumMetadataCount = 256
    private static let maximumMetadataLength: UInt64 = 64 << 10
    private static let maximumDamageCount = 1_000
    /// The number of bytes that an entry takes up to the commit, beside its path.
    private static let entryLength = 256

    init(_ file: ZIMFile, _ run: ImportRun) throws(ArchiveError) {
        (self.file, self.run, output) = (file, run, run.output)
        urls = try ZIMURLs(base: run.output.options.baseURL, hasNamespaces: !file.header.hasOneContentNamespace)
        let budget = run.output.budget
        budget.readLength = budget.readLength.addingSaturated(file.source.length)
        directory = ZIMDirectory(file.source, file.header) { count throws(ArchiveError) in try budget.decode(count) }
    }

    func add() throws(ArchiveError) {
        let output = output
        if let damage = try file.damage(read: { output.progress.bytes += UInt64($0) }) { try note(damage) }
        try directory.forEachOffset { offset throws(ArchiveError) in
            try passingOver(offset) { () throws(ArchiveError) in try sort(directory.entry(at: offset)) }
        }
        try addMetadata()
        for offset in redirects {
            try passingOver(offset) { () throws(ArchiveError) in try addRedirect(directory.entry(at: offset)) }
        }
        try forEachContent(&contents) { entry, blob throws(ArchiveError) in try add(entry, blob) }
    }

    // MARK: - Damage

    /// Notes damage.
    ///
    /// - Throws: the error itself, if others entries cannot be read either.
    private func note(_ error: ArchiveError, at offset: UInt64? = nil) throws(ArchiveError) {
        guard [.damaged, .truncated, .unsupportedFeature].contains(error.code) else { throw error }
        damageCount += 1
        guard damageCount <= Self.maximumDamageCount else { return }
        try output.note(
            ArchiveError(error.code, error.message, path: file.source.name, offset: error.offset ?? offset))
    }

    private func passingOver(
        _ offset: UInt64, _ work: () throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        do throws(ArchiveError) { try work() } catch { try note(error, at: offset) }
    }

    // MARK: - Entries

    /// Puts an entry into the list to which it belongs.
    private func sort(_ entry: ZIMEntry) throws(ArchiveError) {
        if entry.namespace == ZIMURLs.metadata {
            guard case .blob(let blob, _) = entry.content, metadata.count < Self.maximumMetadataCount else { return }
            metadata.append(Item(blob: blob, offset: entry.offset))
        } else if urls.isContent(entry) {
            if entry.namespace == UInt8(ascii: "-"), entry.path.elementsEqual("favicon".utf8) { icon = entry }
            try output.budget.keep(entry.path.count + Self.entryLength)
            switch entry.content {
            case .blob(let blob, _): contents.append(Item(blob: blob, offset: entry.offset))
            case .redirect: redirects.append(entry.offset)
            case .none: break
            }
        } else if entry.namespace == UInt8(ascii: "W"), entry.path.elementsEqual("mainPage".utf8) {
            mainPage = entry
        }
    }

    /// Returns the URL of an entry.
    ///
    /// - Throws: `damaged` for a path that is too long for one.
    private func url(of entry: ZIMEntry) throws(ArchiveError) -> String {
        let url = urls.url(of: entry)
        guard (try? CanonicalURL(url)) != nil else {
            throw .damaged("an entry whose path cannot be that of a URL", offset: entry.offset)
        }
        return url
    }

    private func addRedirect(_ entry: ZIMEntry) throws(ArchiveError) {
        guard case .redirect(let number) = entry.content else { return }
        let target = try directory.entry(number)
        guard urls.isContent(target) else { throw .damaged("a redirect to an entry that is no content") }
        var response = ArchiveResponse(status: 302, headers: ["Location": try url(of: target)])
        response.isDerived = true
        try output.add(
            ImportedExchange(
                request: ArchiveRequest(url: try url(of: entry)), response: response, body: SpooledBody([]), time: time)
        )
        output.summary.derivedResponses += 1
    }

    /// Adds a content; returns the reference to its stored body.
    private func add(_ entry: ZIMEntry, _ blob: Blob) throws(ArchiveError) {
        guard case .blob(_, let number) = entry.content else { return }
        let type = file.types[number]
        if type == nil { try note(.damaged("an entry without a valid media type", offset: entry.offset)) }
        var response = ArchiveResponse(headers: type.map { ["Content-Type": $0] } ?? [])
        response.isDerived = true
        let request = ArchiveRequest(url: try url(of: entry))
        if blob.stored == nil { blob.stored = try output.target.store(blob.content, kind: response.mediaType ?? "") }
        try output.add(ImportedExchange(request: request, response: response, storedBody: blob.stored, time: time))
        output.summary.derivedResponses += 1
    }

    // MARK: - Contents

    /// A content that was read, which several entries can have.
    private final class Blob {
        let content: SpooledBody
        var stored: CommitBuilder.BodyReference?

        init(_ content: SpooledBody) { self.content = content }
    }

    /// Calls a function with contents and their entries. Each cluster is decoded once.
    private func forEachContent(
        _ items: inout [Item], _ work: (ZIMEntry, Blob) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        items.sort { ($0.blob, $0.offset) < ($1.blob, $1.offset) }
        var start = 0
        while start < items.count {
            let cluster = items[start].blob.cluster
            let end = items[start...].firstIndex { $0.blob.cluster != cluster } ?? items.count
            try addCluster(items[start..<end], work)
            start = end
        }
    }

    private func addCluster(
        _ items: ArraySlice<Item>, _ work: (ZIMEntry, Blob) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var (place, offset) = (items.startIndex, UInt64?.none)
        do throws(ArchiveError) {
            let budget = output.budget
            let cluster: ZIMCluster
            (cluster, offset) = try file.cluster(items[place].blob.cluster, decoders) { count throws(ArchiveError) in
                try budget.decode(count)
            }
            let number = items[place].blob.cluster
            // Each of them would be decoded again.
            if let offset, let other = clusters.updateValue(number, forKey: offset), other != number {
                throw .damaged("clusters \(other) and \(number) are at one place")
            }
            var numbers: [UInt32] = []
            for item in items where numbers.last != item.blob.number { numbers.append(item.blob.number) }
            for (number, range) in zip(numbers, try cluster.places(of: numbers)) {
                let content = try range.mapTyped { range throws(ArchiveError) in Blob(try cluster.blob(at: range)) }
                while place < items.endIndex, items[place].blob.number == number {
                    let item = items[place]
                    place += 1
                    // An entry that is in the directory twice.
                    if place - 1 > items.startIndex, items[place - 2].offset == item.offset { continue }
                    try passingOver(item.offset) { () throws(ArchiveError) in
                        guard let content else { throw .damaged("an entry with a blob that its cluster lacks") }
                        try work(directory.entry(at: item.offset), content)
                    }
                }
            }
        } catch {
            // The target, the disk or a limit can be at fault as well.
            guard [.damaged, .truncated, .unsupportedFeature].contains(error.code) else { throw error }
            let lost = items.endIndex - place
            try note(
                ArchiveError(error.code, "\(error.message); \(lost) of its entries are lost", offset: error.offset),
                at: offset ?? items[place].offset)
        }
    }

    // MARK: - Metadata

    private func addMetadata() throws(ArchiveError) {
        var values: [String: SpooledBody] = [:]
        try forEachContent(&metadata) { entry, blob throws(ArchiveError) in
            guard blob.content.length <= Self.maximumMetadataLength else { return }
            values[String(untrusted: entry.path), default: blob.content] = blob.content
        }
        var texts: [String: String] = [:]
        for (name, value) in values {
            let text = String(validating: try value.bytes(in: 0..<value.length), as: UTF8.self)
            texts[name] = text.flatMap { $0.isEmpty ? nil : $0.streamSafe }
        }
        try run.setMetadata("title", ifMissing: texts["Title"])
        try run.setMetadata("description", ifMissing: texts["Description"])
        try run.setMetadata("creator", ifMissing: texts["Creator"])
        try run.setMetadata("language", ifMissing: texts["Language"].flatMap(LanguageTags.tag(ofFirstIn:)))
        if let date = texts["Date"], Timestamp.isDate(date) {
            time = (Timestamp.nanoseconds(date) ?? Timestamp.nanoseconds(date + "T00:00:00Z")).flatMap(ArchiveTime.init)
            try run.setMetadata("date", ifMissing: date)
        }
        for name in ["Publisher", "License", "Source", "Name", "Flavour", "Tags", "Scraper", "LongDescription"] {
            try run.setMetadata("x-zim-\(name.asciiLowercased)", ifMissing: texts[name])
        }
        try run.setMetadata(MetadataName.mainPage, ifMissing: mainPageURL())
        var icon = values["Illustration_48x48@1"]
        if icon == nil { icon = try iconContent() }
        try run.setMetadata("icon", ifMissing: icon)
    }

    /// Returns the URL of the main page; nil for none.
    private func mainPageURL() throws(ArchiveError) -> String? {
        var url: String?
        try passingOver(64) { () throws(ArchiveError) in
            let named = try file.header.mainPage.mapTyped { number throws(ArchiveError) in try directory.entry(number) }
            guard var entry = named ?? mainPage else { return }
            if !urls.isContent(entry) {
                guard let target = try directory.target(of: entry) else { throw .damaged("the main page is a circle") }
                entry = target
            }
            if urls.isContent(entry) { url = try self.url(of: entry) }
        }
        return url
    }

    /// Returns the icon of an old file, which is one of its contents; nil for none.
    private func iconContent() throws(ArchiveError) -> SpooledBody? {
        var content: SpooledBody?
        guard let icon else { return nil }
        try passingOver(icon.offset) { () throws(ArchiveError) in
            guard case .blob(let blob, _) = try directory.target(of: icon)?.content else { return }
            var items = [Item(blob: blob, offset: icon.offset)]
            try forEachContent(&items) { _, blob throws(ArchiveError) in
                if blob.content.length <= Self.maximumMetadataLength { content = blob.content }
            }
        }
        return content
    }
}
