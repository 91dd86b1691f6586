// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveServer

@testable import WebArchiveRecording

@Suite("TLS through a recording proxy")
struct SecureProxyTests {
    /// An origin with TLS: python's server, or nginx with HTTP/2.
    private static let isNginxThere = FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")

    private static let server = """
        import http.server, ssl, sys
        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('o.pem', 'o.key')
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print('port', server.server_address[1], 'ready', file=sys.stderr, flush=True)
        server.serve_forever()
        """

    private static func certificate(_ folder: TemporaryFolder) throws -> FilePath {
        let arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            "o.key", "-out", "o.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ]
        #expect(try ExternalTool.run(arguments, in: folder.url).status == 0)
        return folder.path("o.pem")
    }

    @Test func exchangesOverTLS() async throws {
        let folder = try TemporaryFolder()
        let trusted = try Self.certificate(folder)
        try folder.write("a.txt", Array("over TLS".utf8))
        let script = "import os; os.chdir('\(folder.url.path)')\n" + Self.server
        let origin = try RunningTool(["python3", "-c", script])
        #expect(origin.waitForError("ready"))
        let port = try #require(origin.errorText.split(separator: " ").dropFirst().first)
        let recording = try await TestRecording.start { $0.trustRoots = [trusted] }
        try folder.write("ca.pem", recording.proxy.authority.certificateText().utf8)
        let authority = folder.path("ca.pem").string
        for (host, version) in [("localhost", "--http2"), ("127.0.0.1", "--http1.1")] {
            let result = try recording.curl("--cacert", authority, version, "https://\(host):\(port)/a.txt")
            #expect(result.text == "over TLS", "\(host) \(result.errorText)")
        }
        // A client that does not trust the authority gets nothing, and a server that is not trusted gives nothing.
        #expect(try recording.curl("https://localhost:\(port)/a.txt").status == 60)
        let stranger = try await TestRecording.start()
        try folder.write("ca2.pem", stranger.proxy.authority.certificateText().utf8)
        let refused = try stranger.curl(
            "--cacert", folder.path("ca2.pem").string, "https://localhost:\(port)/a.txt")
        #expect(refused.text.contains("certificate is not trusted"))
        try await stranger.proxy.shutdown()
        let archive = try await recording.finish()
        #expect(archive.entryCount == 2)
        #expect(try archive.text("https://127.0.0.1:\(port)/a.txt") == "over TLS")
    }

    @Test(.enabled(if: isNginxThere)) func serversWithHTTP2() async throws {
        let folder = try TemporaryFolder()
        let trusted = try Self.certificate(folder)
        let text = String(repeating: "over HTTP/2\n", count: 1000)
        try folder.write("site/a.txt", text.utf8)
        let socket = try RawOrigin { _ in RawOrigin.Response("") }
        let port = socket.port
        socket.stop()
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.url.path)/\($0);"
        }
        let configuration = """
            daemon off; worker_processes 1; pid \(folder.url.path)/pid; error_log stderr notice;
            events {} http { access_log off; \(paths.joined(separator: " ")) gzip on; gzip_types text/plain; types { text/plain txt; }
            server { listen 127.0.0.1:\(port) ssl http2; ssl_certificate \(folder.url.path)/o.pem;
            ssl_certificate_key \(folder.url.path)/o.key; root \(folder.url.path)/site; } }
            """
        let file = try folder.write("nginx.conf", configuration.utf8)
        let origin = try RunningTool(["/usr/sbin/nginx", "-c", file.string])
        #expect(origin.waitForError("start worker process"))
        let recording = try await TestRecording.start { $0.trustRoots = [trusted] }
        try folder.write("ca.pem", recording.proxy.authority.certificateText().utf8)
        let url = "https://localhost:\(port)/a.txt"
        for version in ["--http1.1", "--http2"] {
            let result = try recording.curl("--cacert", folder.path("ca.pem").string, "--compressed", version, url)
            #expect(result.text == text, "\(version) \(result.errorText)")
        }
        let entry = try await recording.finish().response(url)
        #expect(try entry.response?.version == "HTTP/2" && entry.response?.codings == ["gzip"])
        #expect(try entry.body?.bytes() == Array(text.utf8))
        origin.signal(SIGTERM)
        _ = origin.result()
    }
}
