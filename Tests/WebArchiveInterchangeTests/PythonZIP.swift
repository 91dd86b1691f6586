// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// A maker of ZIP files by Python's `zipfile`.
struct PythonZIP {
    var folder: TemporaryFolder
    /// Whether members are compressed by deflate.
    var deflates = false
    /// Whether the output cannot be sought in, so that lengths come behind the members.
    var isStreamed = false
    /// Whether all numbers that can have 64 bits have them.
    var isWide = false
    var comment = ""
    var prefix = ""

    private static let script = """
        import io, json, sys, zipfile
        options = json.loads(sys.argv[1])
        class Pipe(io.RawIOBase):
            def __init__(self, file): self.file = file
            def writable(self): return True
            def write(self, data): return self.file.write(data)
        if options["isWide"]: zipfile.ZIP64_LIMIT = 0
        file = open(sys.argv[2], "wb")
        file.write(options["prefix"].encode())
        method = zipfile.ZIP_DEFLATED if options["deflates"] else zipfile.ZIP_STORED
        with zipfile.ZipFile(Pipe(file) if options["isStreamed"] else file, "a" if options["prefix"] else "w", method) as zip:
            zip.comment = options["comment"].encode()
            for number, name in enumerate(sys.argv[3:]):
                with zip.open(name, "w", force_zip64=options["isWide"]) as member:
                    member.write(open(f"member{number}", "rb").read())
        """

    /// Makes a file; returns its path.
    func callAsFunction(_ name: String, _ members: [(String, [UInt8])]) throws -> FilePath {
        for (number, member) in members.enumerated() { try folder.write("member\(number)", member.1) }
        let options: [String: Any] = [
            "deflates": deflates, "isStreamed": isStreamed, "isWide": isWide, "comment": comment, "prefix": prefix,
        ]
        let json = String(decoding: try JSONSerialization.data(withJSONObject: options), as: UTF8.self)
        let result = try ExternalTool.run(
            ["python3", "-c", Self.script, json, folder.path(name).string] + members.map(\.0), in: folder.url)
        try #require(result.status == 0, "\(result.errorText)")
        return folder.path(name)
    }
}
