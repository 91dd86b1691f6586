// SPDX-License-Identifier: Apache-2.0

/// A page in the style of the explorer that is a file of its own: it has no navigation, and loads and runs nothing.
package struct ReportPage {
    /// The title, a text that is escaped on output: the heading, and the name of the window.
    package let title: String
    /// The main part below the title, as HTML that uses the classes of the explorer.
    package let html: String

    /// Creates a page.
    package init(title: String, html: String) { (self.title, self.html) = (title, html) }

    /// The rules that reports have beyond those of the explorer.
    private static let style = """
        small{font-weight:400}.optional{white-space:nowrap}summary{cursor:pointer;padding:.4rem 0}.verdict{font-size:1.2rem;border-left:.4rem solid;padding:.2rem 0 .2rem .8rem}\
        .good{border-color:#1d7040}.bad{border-color:#a8323e}\
        .class{display:inline-block;white-space:nowrap;color:#fff;border-radius:.3rem;padding:0 .4rem}.pages{font-size:.9rem}\
        .class.missed,.class.leaked,.class.failed{background:#a8323e}.class.complete{background:#1d7040}
        """

    /// The whole document, in English.
    package var document: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
        <meta name="referrer" content="no-referrer">
        <title>\(ArchivedText.html(title, atMost: 200)) – webarc</title>
        <style>\(ExplorerPage.style)\(Self.style)</style>
        <body>
        <main id="main">
        <h1>\(ArchivedText.html(title, atMost: 500))</h1>
        \(html)</main>

        """
    }
}
