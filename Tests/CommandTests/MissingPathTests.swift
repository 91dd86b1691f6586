// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Paths that lead to nothing")
struct MissingPathTests {
    @Test(arguments: [
        (["ls", "no"], "no: the file does not exist"), (["verify", "no/no"], "no: the folder does not exist"),
        (["pack", "site", "-o", "no/where/s.webarc"], "no: the folder does not exist"),
        (["pack", "site", "-o", "site/index.html/s"], "site/index.html: a file, not a folder"),
        (["pack", "site", "-o", "site"], "site: a folder exists at this path; choose another name"),
        (["pack", "no", "-o", "s"], "no: the file or folder does not exist"),
        (["verify", "site"], "site: a folder, not a webarc archive; pack it first with webarc pack"),
        (["unpack", "s.webarc", "-C", "site/index.html"], "site/index.html: a file, not a folder"),
        (["compact", "s.webarc", "-o", "no/s"], "no: the folder does not exist"),
        (["extract", "s.webarc", "-o", "no/s", "--include", "*.html"], "no: the folder does not exist"),
        (["merge", "s.webarc", "-o", "no/s"], "no: the folder does not exist"),
        (["index", "s.webarc", "--plist", "-o", "no/s"], "no: the folder does not exist"),
    ])
    func theMissingPartIsNamed(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<p>".utf8)
        try #require(try WebarcTool.run("pack", "site", "-o", "s.webarc", in: folder.url).status == 0)
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status != 0 && result.text.isEmpty)
        #expect(result.errorText == "webarc: \(message)\n")
    }
}
