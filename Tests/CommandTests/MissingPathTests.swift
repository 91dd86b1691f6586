// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Paths that lead to nothing")
struct MissingPathTests {
    @Test(arguments: [
        (["ls", "no"], "The file no does not exist"), (["verify", "no/no"], "The folder no does not exist"),
        (["pack", "site", "-o", "no/where/s.webarc"], "The folder no does not exist"),
        (["pack", "site", "-o", "site/index.html/s"], "site/index.html is a file, not a folder"),
        (["pack", "site", "-o", "site"], "site: a folder has this name; choose another name"),
        (["pack", "no", "-o", "s"], "no: no file or folder has this name; check it"),
        (["verify", "site"], "site: this is a folder, not a webarc archive; pack it first with webarc pack"),
        (["unpack", "s.webarc", "-C", "site/index.html"], "site/index.html is a file, not a folder"),
        (["compact", "s.webarc", "-o", "no/s"], "The folder no does not exist"),
        (["extract", "s.webarc", "-o", "no/s", "--include", "*.html"], "The folder no does not exist"),
        (["merge", "s.webarc", "-o", "no/s"], "The folder no does not exist"),
        (["index", "s.webarc", "--plist", "-o", "no/s"], "The folder no does not exist"),
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
