// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct KeyedArchiveExportTests {
    private func sample() throws -> ArchiveReader {
        try ArchiveReader(
            bytes: SampleArchive.bytes(
                SampleArchive.mixed,
                more: [
                    { writer in
                        try DictionarySample.write(writer)
                        try SampleArchive.page("https://site.example/page1.html", writer.addBody([7]), writer, time: 99)
                        for time in 1...3 {
                            try SampleArchive.page("https://site.example/twice", nil, writer, time: Int64(time))
                        }
                        try writer.add(
                            ArchiveRequest(url: "HTTPS://site.example/%C3%A9"),
                            response: ArchiveResponse(
                                headers: HeaderFields([HeaderField(nameBytes: Array("X".utf8), valueBytes: [0xFF])])))
                    }
                ]))
    }

    private func export(_ archive: ArchiveReader) throws -> Data {
        let bytes = ByteCollector()
        try KeyedArchiveExport(archive).write { chunk throws(ArchiveError) in bytes.append(chunk) }
        return Data(bytes.all)
    }

    /// The entries as the archive states them, in the order of commits and rows.
    private func expected(_ archive: ArchiveReader) throws -> [String] {
        try archive.index.commits.enumerated().flatMap { number, commit in
            try (0..<commit.entryCount).map { row in
                let entry = ArchiveEntry(RowPlace(commit: UInt32(number), row: UInt32(row)), of: archive)
                let response = try entry.response
                let body = try entry.body
                return try [
                    entry.key, entry.method, "\(entry.time?.nanoseconds ?? 0)", "\(entry.role.rawValue)",
                    "\(response?.status ?? 0)", body.map { "\($0.digest) \($0.length)" } ?? "-",
                    response?.redirectTarget ?? "-",
                    fields(response?.headers ?? []), fields(entry.request.headers),
                    entry.requestBody?.digest.description ?? "-",
                ].joined(separator: "|")
            }
        }
    }

    private func fields(_ fields: HeaderFields) -> String {
        fields.map { "\($0.name)=\($0.valueBytes.map { String($0, radix: 16) }.joined(separator: "."))" }.joined(
            separator: ";")
    }

    /// Python reads the list, follows the identifiers, and comes to the same entries.
    @Test(.enabled(if: Self.hasPython)) func readByPython() throws {
        let archive = try sample()
        let folder = try TemporaryFolder()
        try KeyedArchiveExport(archive).write(to: folder.path("index.plist"))
        try folder.write("read.py", Self.script.utf8)
        let result = try ExternalTool.run(["python3", "read.py", "index.plist"], in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(lines == (try expected(archive)))
        #expect(try Data(folder.read("index.plist")) == export(archive))
    }

    private static let hasPython = (try? ExternalTool.run(["python3", "--version"]).status) == 0

    private static let script = #"""
        import datetime, plistlib, sys
        from email.utils import format_datetime

        plist = plistlib.load(open(sys.argv[1], "rb"))
        assert plist["$archiver"] == "NSKeyedArchiver" and plist["$version"] == 100000
        objects, top = plist["$objects"], plist["$top"]
        assert objects[0] == "$null" and set(top) == {"entries", "metadata", "bodies", "records", "pages"}

        def get(reference):
            if reference is None: return None
            assert isinstance(reference, plistlib.UID)
            value = objects[reference.data]
            if isinstance(value, dict):
                kind = objects[value["$class"].data]
                assert kind["$classes"] == [kind["$classname"], "NSObject"]
                if kind["$classname"] == "NSArray": return [get(x) for x in value["NS.objects"]]
                return value | {"class": kind["$classname"]}
            return value

        def date(nanoseconds):
            epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
            return format_datetime(epoch + datetime.timedelta(seconds=nanoseconds // 10**9), usegmt=True)

        def fields(holder, entry, body):
            fill = iter(get(holder.get("fill")) or [])
            texts = []
            for field in get(holder.get("headers")) or []:
                form = field["form"]
                digest = body["digest"].hex() if body else "d41d8cd98f00b204e9800998ecf8427e"
                value = [lambda: get(field.get("value")) or "", lambda: next(fill), lambda: str(body["length"] if body else 0),
                         lambda: date(holder.get("modified", 0)), lambda: date(entry.get("time", 0)),
                         lambda: '"' + digest + '"'][form]()
                if isinstance(value, str): value = value.encode()
                texts.append(get(field["name"]) + "=" + ".".join("%x" % byte for byte in value))
            assert next(fill, None) is None
            return ";".join(texts)

        for entry in get(top["entries"]):
            assert entry["class"] == "Entry"
            answer = get(entry.get("answer"))
            assert answer is None or answer["class"] in ("Response", "Redirect")
            request = get(entry.get("request")) or {}
            body = get(answer.get("body")) if answer else None
            sent = get(request.get("body"))
            print("|".join([
                get(entry["key"]), get(request.get("method")) or "GET", str(entry.get("time", 0)), str(entry["role"]),
                str(answer["status"] if answer else 0),
                body["digest"].hex() + " " + str(body["length"]) if body else "-",
                get(answer["target"]) if answer and "target" in answer else "-",
                fields(answer, entry, body) if answer else "", fields(request, entry, None),
                sent["digest"].hex() if sent else "-"]))

        for body in get(top["bodies"]):
            assert body["class"] == "Body" and len(body["digest"]) == 16
            block = get(body.get("block"))
            assert (block is None) == (body["length"] == 0)
            if block and "dictionary" in block: assert get(get(block["dictionary"])["body"])["length"] == 2000
        assert [get(m["name"]) for m in get(top["metadata"])] == ["title", "icon"]
        assert any("url" in e and get(e["url"]) == "HTTPS://site.example/%C3%A9" for e in get(top["entries"]))
        """#

    /// Foundation reads it as a property list, and its unarchiver as a keyed archive.
    @Test func readByFoundation() throws {
        let archive = try sample()
        let data = try export(archive)
        let plist = try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(plist["$archiver"] as? String == "NSKeyedArchiver")
        #expect((plist["$objects"] as? [Any])?.first as? String == "$null")

        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        for name in [
            "Entry", "Body", "Block", "Dictionary", "Request", "Response", "Redirect", "HeaderField", "Metadata",
        ] {
            unarchiver.setClass(RowObject.self, forClassName: name)
        }
        let entries = try #require(unarchiver.decodeObject(forKey: "entries") as? [RowObject])
        #expect(unarchiver.error == nil)
        #expect(entries.count == archive.entryCount)
        #expect(entries.map(\.key) == (try expected(archive).map { $0.split(separator: "|").first.map(String.init) }))
        let bodies = try #require(unarchiver.decodeObject(forKey: "bodies") as? [RowObject])
        #expect(bodies.count == archive.bodyCount)
        let list = try #require(entries.lazy.compactMap { $0.response?.headers }.first { !$0.isEmpty })
        #expect(list.first?.name != nil)
    }

    /// Every object is contained once: as many as rows, classes, roots, keys and fill lists exist.
    @Test func objectsStandOnce() throws {
        let archive = try sample()
        let plist = try #require(
            try PropertyListSerialization.propertyList(from: export(archive), format: nil) as? [String: Any])
        let objects = try #require(plist["$objects"] as? [Any])
        let index = archive.index
        let rows = KeyedArchiveLayout.classes.reduce(0) { $0 + index.rowCount($1) }
        let keys = try index.commits.reduce(0) { try $0 + Set((0..<$1.entryCount).map($1.key)).count }
        let withFill = try index.commits.reduce(0) { count, commit in
            try count + (0..<commit.rowCount(.response)).count { try commit.integer(.responseFill, $0) > 0 }
        }
        #expect(withFill > 10)
        #expect(
            objects.count == 1 + KeyedArchiveLayout.classNames.count + KeyedArchiveLayout.Root.allCases.count + rows
                + keys + withFill)
    }

    @Test func emptyArchive() throws {
        let archive = try ArchiveReader(bytes: SampleArchive.bytes { _ in })
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: export(archive))
        unarchiver.requiresSecureCoding = false
        #expect((unarchiver.decodeObject(forKey: "entries") as? [Any])?.isEmpty == true)
    }

    /// Header lists that all claim the same 4,096 fields: the property list would be far larger than the archive.
    @Test func listsThatShareTheirFields() throws {
        let many = HeaderFields((0..<4096).map { HeaderField(name: "N\($0)", value: "") })
        let bytes = try SampleArchive.bytes { writer in
            try writer.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse(headers: many))
            for number in 0..<50 {
                try writer.add(
                    ArchiveRequest(url: "http://a/\(number)"), response: ArchiveResponse(headers: ["N\(number)": "x"]))
            }
        }
        _ = try export(ArchiveReader(bytes: bytes))
        var surgeon = RowSurgeon(bytes)
        // No response uses them, so that nothing else meets the limit first.
        surgeon.set("Response", "headers", to: 0)
        surgeon.set("HeaderList", "first", to: 1)
        surgeon.set("HeaderList", "count", to: 4096)
        let archive = try ArchiveReader(bytes: surgeon.bytes)
        #expect(archiveError { _ = try export(archive) }?.code == .limitExceeded)
    }

    /// A file that is read meanwhile stays whole, and so does its former content if the export fails.
    @Test func aFileIsReplacedAsAWhole() throws {
        let archive = try sample()
        let folder = try TemporaryFolder()
        let former = try folder.write("index.plist", "former".utf8)
        #expect(link(former.string, folder.path("other name").string) == 0)
        try KeyedArchiveExport(archive).write(to: former)
        #expect(try folder.read("other name") == Array("former".utf8))
        #expect(try Data(folder.read("index.plist")) == export(archive))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
    }

    @Test func pipesDevicesAndLinksAreWrittenTo() throws {
        let archive = try sample()
        let folder = try TemporaryFolder()
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe.string, 0o600) == 0)
        let reading = BackgroundThread { try ExternalTool.run(["cat", pipe.string]).output }
        try KeyedArchiveExport(archive).write(to: pipe)
        #expect(try reading.value() == export(archive))
        try KeyedArchiveExport(archive).write(to: "/dev/null")
        try folder.write("target", "former and longer".utf8)
        #expect(symlink("target", folder.path("link").string) == 0)
        try KeyedArchiveExport(archive).write(to: folder.path("link"))
        #expect(try Data(folder.read("target")) == export(archive))
    }

    @Test func damagedArchive() throws {
        var surgeon = try SampleArchive.surgeon(SampleArchive.mixed)
        try surgeon.set(.responseBody, 3, to: 200)
        let archive = try surgeon.archive
        let bytes = ByteCollector()
        #expect(throws: ArchiveError(.damaged, "")) {
            try KeyedArchiveExport(archive).write { chunk throws(ArchiveError) in bytes.append(chunk) }
        }
        #expect(bytes.all.isEmpty)
        let folder = try TemporaryFolder()
        #expect(throws: ArchiveError(.io, "")) {
            try KeyedArchiveExport(sample()).write(to: folder.path("no/such/folder"))
        }
    }
}

/// A row as Foundation's unarchiver sees it.
private final class RowObject: NSObject, NSCoding {
    let key: String?
    let name: String?
    let response: RowObject?
    let headers: [RowObject]?

    init?(coder: NSCoder) {
        func object(_ name: String) -> Any? {
            coder.containsValue(forKey: name) ? coder.decodeObject(forKey: name) : nil
        }
        key = object("key") as? String
        name = object("name") as? String
        response = object("answer") as? RowObject
        headers = object("headers") as? [RowObject]
        super.init()
    }

    func encode(with coder: NSCoder) {}
}
