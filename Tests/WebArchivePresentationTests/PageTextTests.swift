// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchivePresentation

@Suite struct PageTextTests {
    @Test(arguments: [
        ("<title>T</title><h1>One</h1>\n <p>two  <b>th</b>ree<br>four", "One\ntwo three\nfour\n"),
        ("a<!-- no -->b <!DOCTYPE x>c<!-->d", "ab cd\n"), ("<script>if (a < b) no()</script>yes", "yes\n"),
        ("<style>p { }</style><textarea>typed</textarea>", "typed\n"), ("1 < 2 &amp; 3 &lt;4", "1 < 2 & 3 <4\n"),
        ("<iframe>no</iframe><p> </p><div></div>", ""), ("open <!-- to the end", "open\n"), ("", ""),
        ("<p title='<b>'>x</p", "x\n"), ("<td>a</td><td>b</td>", "a\nb\n"),
    ])
    func text(_ document: String, _ text: String) {
        #expect(PageText.text(of: Array(document.utf8), charset: { nil }) == text)
    }

    @Test func charsets() {
        let bytes: [UInt8] = Array("<p>gr".utf8) + [0xFC] + Array("n".utf8)
        #expect(PageText.text(of: bytes, charset: { nil }) == "grün\n")
        let cyrillic: [UInt8] = [0xE4, 0xE0]
        #expect(PageText.text(of: cyrillic, charset: { "windows-1251" }) == "да\n")
        #expect(
            PageText.text(of: Array("<meta charset=windows-1251>".utf8) + cyrillic, charset: { nil }) == "да\n")
    }
}
