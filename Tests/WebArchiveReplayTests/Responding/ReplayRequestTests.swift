// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing
import WebArchiveReplay

@Suite struct ReplayRequestTests {
    /// RFC 3986 section 3.
    @Test(arguments: [
        ("https://host?x", "https", "host", "/?x"), ("https://host", "https", "host", "/"),
        ("http://host:8080/a/b?c=/d?e", "http", "host:8080", "/a/b?c=/d?e"), ("https://host#x", "https", "host", "/"),
        ("https://host/a#x/y", "https", "host", "/a"), ("http://[::1]/", "http", "[::1]", "/"),
    ])
    func aURLIsTakenApart(url: String, scheme: String, authority: String, path: String) {
        let head = ReplayRequest(url).head
        #expect(head.scheme == scheme)
        #expect(head.authority == authority)
        #expect(head.path == path)
    }
}
