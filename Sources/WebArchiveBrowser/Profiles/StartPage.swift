// SPDX-License-Identifier: Apache-2.0

/// The page with which a Chromium begins, until it is controlled: black, and without effect for keys.
package enum StartPage {
    /// The frame that tries whether policies are in force is empty until then.
    private static let html = """
        <!doctype html><title>webarc</title><style>html{background:#000;cursor:none}iframe{display:none}</style>\
        <script>for(const type of['keydown','contextmenu'])addEventListener(type,event=>event.preventDefault(),true)</script>\
        <iframe></iframe>
        """

    /// An expression for a promise that resolves once the page and its frame exist, and no more events of it come.
    package static let ready = """
        new Promise(done => (function look() {
          document.readyState === 'complete' && document.querySelector('iframe') ? done() : setTimeout(look, 10)
        })())
        """

    /// The page's address (RFC 2397).
    package static let address =
        "data:text/html,"
        + html.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default: "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        }.joined()
}
