// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A HAR file of version 1.2 as a source of an import.
struct HARSource: ImportSource {
    let hasRecords = false
    private let input: BufferedInput

    init(_ input: BufferedInput) { self.input = input }

    /// Returns whether a file begins as HAR files do: an object in which an object `log` with a member of HAR is near the beginning.
    static func isBeginning(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        guard take("{", &rest) else { return false }
        while let place = rest.firstRange(of: "\"log\"".utf8) {
            rest = rest[place.upperBound...]
            var inside = rest
            guard take(":", &inside), take("{", &inside) else { continue }
            if ["version", "creator", "browser", "pages", "entries", "comment"].contains(where: { name in
                var inside = inside
                return take("\"\(name)\"", &inside)
            }) {
                return true
            }
        }
        return false
    }

    /// Removes white space and a text from the beginning; false if another text is there.
    private static func take(_ text: String, _ bytes: inout ArraySlice<UInt8>) -> Bool {
        bytes = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard bytes.starts(with: text.utf8) else { return false }
        bytes = bytes.dropFirst(text.utf8.count)
        return true
    }

    func add(to run: ImportRun) throws(ArchiveError) {
        let (output, before) = (run.output, run.output.budget.readLength)
        let json = JSONInput(input) { count, readLength throws(ArchiveError) in
            output.progress.bytes += UInt64(count)
            output.budget.readLength = before + readLength
            try output.budget.decode(count)
        }
        try HARFile(json, output).add()
    }
}

/// The import of one HAR file.
private final class HARFile {
    /// The page of entries that name its identifier.
    private struct Document {
        var url: String
        var status: Int
    }

    private struct Page {
        let identifier: String
        let value: JSONValue
    }

    private let json: JSONInput
    private let output: ImportOutput
    private var pages: [Page] = []
    /// The documents of pages, by the identifiers of these.
    private var documents: [String: Document] = [:]
    /// The names of the members with which entries begin.
    private var beginnings: Set<String> = ["startedDateTime", "pageref"]
    private var damageCount = 0

    private static let maximumPageCount = 100_000
    private static let maximumBeginningCount = 16
    private static let maximumDamageCount = 1_000
    /// The cost of an item beside its length, in bytes.
    private static let itemCost = 64

    init(_ json: JSONInput, _ output: ImportOutput) { (self.json, self.output) = (json, output) }

    func add() throws(ArchiveError) {
        do throws(ArchiveError) {
            try json.skipByteOrderMark()
            try json.beginObject()
            while let name = try json.nextMember() {
                guard name == "log", try json.isObjectNext() else {
                    try json.skipValue()
                    continue
                }
                try readLog()
            }
            try json.finish()
        } catch {
            try note(error)
        }
        for page in pages { try add(page) }
    }

    private func readLog() throws(ArchiveError) {
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "pages" where try json.isArrayNext(): try readPages()
            case "entries" where try json.isArrayNext(): try readEntries()
            default: try json.skipValue()
            }
        }
    }

    /// Notes damage at the place that it names.
    ///
    /// - Throws: the error itself, if it is neither `damaged` nor `truncated`.
    private func note(_ error: ArchiveError, at offset: UInt64? = nil) throws(ArchiveError) {
        guard [.damaged, .truncated].contains(error.code) else { throw error }
        damageCount += 1
        guard damageCount <= Self.maximumDamageCount else { return }
        let place = offset ?? error.offset ?? json.offset
        try output.note(ArchiveError(error.code, error.message, path: json.name, offset: place))
    }

    // MARK: - Entries

    private func readEntries() throws(ArchiveError) {
        try json.beginArray()
        let depth = json.depth
        var hasBegun = false
        while true {
            do throws(ArchiveError) {
                if !hasBegun { guard try json.nextItem() else { return } }
                // Few bytes can be an item, and an error is made of each.
                try output.budget.decode(Self.itemCost)
                let offset = json.offset
                let entry = try HAREntry(json, hasBegun: hasBegun) { name in
                    if beginnings.count < Self.maximumBeginningCount, name.utf8.count < 64 { beginnings.insert(name) }
                }
                hasBegun = false
                do throws(ArchiveError) { try add(entry) } catch { try note(error, at: offset) }
            } catch {
                guard error.code == .damaged else { throw error }
                try note(error)
                hasBegun = try json.skipItem(in: depth, beginnings)
            }
        }
    }

    private func add(_ entry: HAREntry) throws(ArchiveError) {
        guard let found = try HARExchange(entry, charge: output.budget.decodeContent) else { return }
        try output.add(found.exchange)
        if found.exchange.failure != nil { output.summary.failedLoads += 1 }
        if found.lacksBody { output.summary.missingBodies += 1 }
        guard let reference = entry.members["pageref"]?.text else { return }
        let identifier = String(untrusted: reference.utf8)
        let status = found.exchange.response?.status ?? 0
        if let known = documents[identifier] {
            // Redirects lead to the document.
            guard (300..<400).contains(known.status) else { return }
        } else {
            guard documents.count < Self.maximumPageCount else { return }
        }
        try output.budget.keep(identifier.utf8.count + found.exchange.request.url.utf8.count)
        documents[identifier] = Document(url: found.exchange.request.url, status: status)
    }

    // MARK: - Pages

    private func readPages() throws(ArchiveError) {
        try json.beginArray()
        let depth = json.depth
        while true {
            do throws(ArchiveError) {
                guard try json.nextItem() else { return }
                var members: [JSONValue.Member] = []
                var budget = 1 << 20
                try json.beginObject()
                while let name = try json.nextMember() {
                    guard ["id", "title", "startedDateTime", "_url"].contains(name) else {
                        try json.skipValue()
                        continue
                    }
                    members.append(JSONValue.Member(name: name, value: try json.value(&budget)))
                }
                guard pages.count < Self.maximumPageCount else { continue }
                try output.budget.keep((1 << 20) - budget + 256)
                let value = JSONValue.object(members)
                pages.append(Page(identifier: String(untrusted: (value["id"]?.text ?? "").utf8), value: value))
            } catch {
                guard error.code == .damaged else { throw error }
                try note(error)
                _ = try json.skipItem(in: depth, [])
            }
        }
    }

    /// Adds a page: at the URL that the file has for it, or at that of its first entry.
    private func add(_ page: Page) throws(ArchiveError) {
        let (title, document) = (page.value["title"]?.text, documents[page.identifier])
        // Chromium and Safari have the URL in the place of the title.
        let named = [page.value["_url"]?.text, title].compactMap { $0 }.first(where: Self.isWebURL)
        guard let url = named ?? document?.url else { return }
        let isOfDocument = (try? CanonicalURL(url)) == document.flatMap { try? CanonicalURL($0.url) }
        try output.add(
            ArchivePage(
                url: url, time: HARMessages.time(page.value["startedDateTime"]),
                title: title.flatMap { $0.isEmpty || Self.isWebURL($0) ? nil : $0 },
                status: isOfDocument ? document?.status ?? 0 : 0, isSeed: true))
    }

    private static func isWebURL(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && (try? CanonicalURL(text)) != nil
    }
}
