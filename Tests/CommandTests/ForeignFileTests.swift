// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Files of other formats where an archive is expected, most of them made by Python's standard library.
@Suite("Files of other formats")
struct ForeignFileTests {
    private static let script = """
        import bz2, gzip, io, json, lzma, plistlib, sys, tarfile, zipfile
        from email.mime.multipart import MIMEMultipart
        from email.mime.text import MIMEText

        record = b"WARC/1.1\\r\\nWARC-Type: warcinfo\\r\\nContent-Length: 0\\r\\n\\r\\n\\r\\n\\r\\n"
        def zipped(*names):
            with zipfile.ZipFile("file", "w", zipfile.ZIP_DEFLATED) as file:
                for name in names: file.writestr(name, "text " * 100)
        def write(data): open("file", "wb").write(data)
        def tar():
            with tarfile.open("file", "w") as file:
                file.addfile(tarfile.TarInfo("a"), io.BytesIO())
        def mhtml():
            message = MIMEMultipart("related")
            message["From"] = "<Saved by a browser>"
            message.attach(MIMEText("<p>", "html"))
            write(message.as_bytes())
        {
            "WARC": lambda: write(record),
            "WARC.gz": lambda: write(gzip.compress(record) + gzip.compress(record * 1000)),
            "WACZ": lambda: zipped("archive/data.warc.gz", "datapackage.json"),
            "HAR": lambda: write(json.dumps({"log": {"version": "1.2", "entries": []}}, indent=2).encode()),
            "ZIM": lambda: write((72173914).to_bytes(4, "little") + bytes(76)),
            "MHTML": mhtml,
            "ZIP": lambda: zipped("index.html"),
            "empty ZIP": lambda: zipped(),
            "gzip": lambda: write(gzip.compress(b"text " * 100000)),
            "bzip2": lambda: write(bz2.compress(b"text")),
            "xz": lambda: write(lzma.compress(b"text")),
            "tar": tar,
            "Safari": lambda: write(plistlib.dumps({"WebMainResource": {}}, fmt=plistlib.FMT_BINARY)),
            "HTML": lambda: write(b"\\xef\\xbb\\xbf \\n<!DOCTYPE html><title>T</title>"),
            "PDF": lambda: write(b"%PDF-1.7\\n"),
        }[sys.argv[1]]()
        """

    /// The format, its name in the message, and a word of the advice.
    static let formats = [
        ("WARC", "a WARC file", "import it with webarc import"),
        ("WARC.gz", "a gzip-compressed WARC file", "import it with webarc import"),
        ("WACZ", "a WACZ file", "import it with webarc import"), ("HAR", "a HAR file", "import it with webarc import"),
        ("ZIM", "a ZIM file", "import it with webarc import"), ("MHTML", "an MHTML file", "save its pages"),
        ("ZIP", "a ZIP file", "unpack it, then pack"), ("empty ZIP", "a ZIP file", "unpack it, then pack"),
        ("gzip", "a gzip file", "unpack it, then pack"), ("bzip2", "a bzip2 file", "unpack it, then pack"),
        ("xz", "an xz file", "unpack it, then pack"), ("tar", "a tar file", "unpack it, then pack"),
        ("Safari", "a Safari web archive", "save its pages"), ("HTML", "an HTML page", "pack it first"),
        ("PDF", "a PDF file", "pack it first"),
    ]

    private func folder(_ format: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let made = try ExternalTool.run(["python3", "-c", Self.script, format], in: folder.url)
        try #require(made.status == 0, "\(made.errorText)")
        return folder
    }

    @Test(arguments: formats)
    func aFileOfAnotherFormatIsNamed(_ format: String, _ name: String, _ advice: String) throws {
        let folder = try folder(format)
        let result = try WebarcTool.run("verify", "file", in: folder.url)
        #expect(result.status == 2)
        #expect(result.errorLines.count == 1 && result.errorText.hasPrefix("webarc: file: \(name)"))
        #expect(result.errorText.contains("not a webarc archive; \(advice)"), "\(result.errorText)")
    }

    @Test(arguments: [
        ["ls", "file"], ["info", "file"], ["cat", "file", "http://a/"], ["why", "file", "http://a/"],
        ["unpack", "file", "-C", "out"], ["compact", "file"], ["index", "file", "--plist", "-o", "out"],
        ["serve", "file"], ["kiosk", "file", "--headless", "--state", "state"],
        ["ca", "create", "file", "--authority", "ca"],
        ["get", "http://a/", "file", "--offline"], ["pack", "site", "-o", "file", "--append"],
    ])
    func everyCommandNamesTheFormat(_ arguments: [String]) throws {
        let folder = try folder("ZIM")
        try folder.write("site/index.html", "<p>".utf8)
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == 2, "\(result.errorText)")
        #expect(result.errorText.contains("file: a ZIM file, not a webarc archive"), "\(result.errorText)")
    }

    @Test func packingNeverReplacesIt() throws {
        let folder = try folder("ZIP")
        try folder.write("site/index.html", "<p>".utf8)
        let before = try folder.read("file")
        let result = try WebarcTool.run("pack", "site", "-o", "file", in: folder.url)
        #expect(
            result.status == 73 && result.errorText.contains("a ZIP file exists at this path"), "\(result.errorText)")
        #expect(try folder.read("file") == before)
    }

    @Test(arguments: [("ZIP", true), ("WARC.gz", true), ("PDF", false), ("HTML", false)])
    func aContainerIsPackedAsOneFileWithAWarning(_ format: String, _ warns: Bool) throws {
        let folder = try folder(format)
        let result = try WebarcTool.run("pack", "file", "-o", "x.webarc", "--json", in: folder.url)
        #expect(result.status == 0)
        let warnings = try #require(try result.objects.first?["warnings"] as? [[String: Any]])
        #expect(warnings.contains { $0["code"] as? String == "archiveAsFile" } == warns)
    }
}
