// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// Tests of exports and imports with warcio, FastWARC, wacz and cdxj-indexer.
@Suite("interchange with other archivers", .enabled(if: WebArchivers.areThere, "Tools/setup --tests installs them"))
struct InterchangePeersTests {
    @Test(arguments: ExportedSample.Kind.possible) func checkers(_ kind: ExportedSample.Kind) throws {
        let sample = try ExportedSample(kind)
        for name in ["out.warc", "out.warc.gz"] {
            let path = try sample.exported(name).string
            let warcio = try WebArchivers.run("warcio", "check", "-v", path)
            let failed = warcio.lines.filter { $0.contains("fail") || $0.contains("unknown") }
            #expect(warcio.status == 0, "\(failed.prefix(10))\(warcio.errorText)")
            // Otherwise nothing was checked.
            #expect(warcio.text.contains("digest pass"))
            // Not its payloads: it takes the digest of a revisit for that of the record's own, empty content.
            let fastwarc = try WebArchivers.run("fastwarc", "check", path)
            #expect(fastwarc.status == 0, "\(fastwarc.text)\(fastwarc.errorText)")
            #expect(fastwarc.text.contains("records were verified successfully"), "\(fastwarc.text)")
        }
        let wacz = try WebArchivers.run("wacz", "validate", "-f", sample.exported("out.wacz").string)
        #expect(wacz.status == 0 && wacz.text.contains("is valid"), "\(wacz.text)\(wacz.errorText)")
    }

    /// The index is that of an indexer by somebody else, and each of its lines leads to a gzip member with the record.
    @Test(arguments: ExportedSample.Kind.possible) func index(_ kind: ExportedSample.Kind) throws {
        let sample = try ExportedSample(kind)
        let script = """
            import gzip, io, json, sys, zipfile
            from fastwarc.warc import ArchiveIterator
            zip = zipfile.ZipFile(sys.argv[1])
            index = gzip.decompress(zip.read("indexes/index.cdx.gz"))
            open("ours.cdxj", "wb").write(index)
            warc = zip.read("archive/data.warc.gz")
            open("data.warc.gz", "wb").write(warc)
            for line in index.decode().splitlines():
                entry = json.loads(line.split(" ", 2)[2])
                start, length = int(entry["offset"]), int(entry["length"])
                assert warc[start:start + 3] == b"\\x1f\\x8b\\x08", line
                # One member and one record, neither less nor more.
                records = [record.headers.asdict() for record in ArchiveIterator(io.BytesIO(warc[start:start + length]))]
                assert len(records) == 1 and gzip.decompress(warc[start:start + length]).endswith(b"\\r\\n\\r\\n"), line
                assert records[0]["WARC-Target-URI"].strip("<>") == entry["url"], line
                assert records[0].get("WARC-Payload-Digest") == entry.get("digest"), line
            """
        let path = try sample.exported("out.wacz").string
        let result = try WebArchivers.run("python3", "-c", script, path, in: sample.folder.url)
        try #require(result.status == 0, "\(result.errorText)")
        let theirs = try WebArchivers.run(
            "cdxj-indexer", "--sort", "--post-append", "data.warc.gz", in: sample.folder.url)
        try #require(theirs.status == 0, "\(theirs.errorText)")
        // It joins requests with responses, and not with revisits: the line of a revisit by POST has the key of a GET there.
        let ours = try sample.folder.read("ours.cdxj").split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        let odd = Set(ours.filter { $0.contains(#""warc/revisit""#) && $0.contains(#""method": "#) }.map(Self.offset))
        let (some, others) = (
            ours.filter { !odd.contains(Self.offset($0)) }, theirs.lines.filter { !odd.contains(Self.offset($0)) }
        )
        #expect(!some.isEmpty && some == others, "\(Set(some).symmetricDifference(others).sorted().prefix(4))")
    }

    private static func offset(_ line: String) -> String {
        line.firstRange(of: #""offset": ""#).map { String(line[$0.upperBound...].prefix { $0 != "\"" }) } ?? ""
    }

    /// Files that FastWARC compressed come back as they were, and FastWARC reads the same from them.
    @Test(arguments: ["gzip", "zstd", "lz4"]) func exactly(_ compression: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("odd.warc", OddWARC(SeededGenerator.printed(), records: 500, isSound: true).bytes)
        let written = try WebArchivers.run(
            "fastwarc", "recompress", "--quiet", "-c", compression, "odd.warc", "in.warc", in: folder.url)
        try #require(written.status == 0, "\(written.errorText)")
        for arguments in [
            ["import", "--exact", "in.warc", "-o", "a.webarc"], ["export", "--exact", "a.webarc", "-o", "out.warc"],
        ] {
            let result = try WebarcTool.run(arguments, in: folder.url)
            try #require(result.status == 0, "\(result.errorText)")
        }
        let lz4 = "import sys, lz4.frame; sys.stdout.buffer.write(lz4.frame.open('in.warc').read())"
        let decompressor = compression == "lz4" ? ["python3", "-c", lz4] : ["sh", "-c", "\(compression) -dc <in.warc"]
        let plain = try ExternalTool.run(decompressor, in: folder.url)
        try #require(plain.status == 0 && !plain.output.isEmpty, "\(plain.errorText)")
        try folder.write("plain.warc", plain.output)
        let same = try ExternalTool.run(["cmp", "plain.warc", "out.warc"], in: folder.url)
        #expect(same.status == 0, "\(same.text)")
        let script = """
            import hashlib, sys
            from fastwarc.warc import ArchiveIterator
            def records(path):
                return [(record.headers.astuples(), hashlib.sha256(record.reader.read()).digest())
                    for record in ArchiveIterator(open(path, "rb"), parse_http=False)]
            ours, theirs = records("out.warc"), records("in.warc")
            assert ours == theirs and len(ours) > 100, (len(ours), len(theirs))
            """
        let reading = try WebArchivers.run("python3", "-c", script, in: folder.url)
        #expect(reading.status == 0, "\(reading.errorText)")
    }
}
