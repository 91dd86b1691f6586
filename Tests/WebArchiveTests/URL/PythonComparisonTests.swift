// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WebArchive

/// Compares with Python: its urllib, and the specification's numbered steps written down once more.
@Suite struct PythonComparisonTests {
    static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        .first(where: FileManager.default.isExecutableFile)

    /// The lines that the script prints for the given lines of hexadecimals.
    private func answers(_ lines: [String]) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("url-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appendingPathComponent("script.py")
        let input = folder.appendingPathComponent("input")
        try Data(Self.script.utf8).write(to: script)
        try Data(lines.joined(separator: "\n").utf8).write(to: input)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(Self.python))
        process.arguments = [script.path, input.path]
        process.standardOutput = output
        try process.run()
        let response = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: response, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(.enabled(if: python != nil)) func sameAnswers() throws {
        var random = URLTestRandom()
        var questions: [String] = []
        var expected: [String] = []
        for _ in 0..<4_000 {
            let text = random.urlText()
            questions.append("canonical \(hex(text))")
            expected.append((try? CanonicalURL(utf8: text)).map { hex($0.bytes) } ?? "error")
        }
        for text in CanonicalURLExamples.valid.map(\.text) + CanonicalURLExamples.invalid.map(\.text) {
            questions.append("canonical \(hex(text.utf8))")
            expected.append((try? CanonicalURL(text)).map { hex($0.bytes) } ?? "error")
        }
        // urljoin drops empty segments and empty queries, so the references have none.
        let base = try CanonicalURL("http://a/b/c/d;p?q")
        for _ in 0..<2_000 {
            var reference = (0..<Int.random(in: 1...6, using: &random))
                .map { _ in [".", "..", "a", "bc", "d;e", "..f", "g=1"].randomElement(using: &random) ?? "" }
                .joined(separator: "/")
            if Bool.random(using: &random) { reference = "/" + reference }
            if Bool.random(using: &random) { reference += "/" }
            if Bool.random(using: &random) { reference += "?y=/../z" }
            questions.append("join \(hex(reference.utf8))")
            expected.append(hex(try base.resolving(reference).bytes))
        }
        for _ in 0..<500 {
            let name = (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }
            var encoded: [UInt8] = []
            PercentEncoding.appendEncoded(name[...], keeping: .pathCharacter, to: &encoded)
            questions.append("quote \(hex(name))")
            expected.append(hex(encoded))
            let text = random.text(of: ["%", "2", "f", "%41", "%c3", "a"], upTo: 9)
            var decoded: [UInt8] = []
            PercentEncoding.appendDecoded(text[...], to: &decoded)
            questions.append("unquote \(hex(text))")
            expected.append(hex(decoded))
        }
        let responses = try answers(questions)
        try #require(responses.count == expected.count)
        for (index, response) in responses.enumerated() {
            // An empty line is not printed.
            #expect(response == "=" + expected[index], "\(questions[index]) seed \(random.seed)")
        }
    }

    private static let script = #"""
        import re, sys
        from urllib.parse import quote, unquote_to_bytes, urljoin

        UNRESERVED = re.compile(rb'[A-Za-z0-9._~-]\Z')
        ENCODE = re.compile(rb'%([0-9A-Fa-f]{2})|([\x00-\x20\x7f-\xff"<>\[\\\]^`{|}]|%)')
        LITERAL = rb"\[[A-Za-z0-9._~!$&'()*+,;=:-]+\]"
        NAME = rb'[^\x00-\x20#/:<>?@\[\\\]^|\x7f-\xff]*'
        HOST = re.compile(b'(' + LITERAL + b'|' + NAME + rb')(?::([0-9]*))?\Z')
        PORTS = {b'http': 80, b'ws': 80, b'https': 443, b'wss': 443, b'ftp': 21}

        def normal(text):
            def one(match):
                octet = bytes.fromhex(match[1].decode()) if match[1] else match[2]
                return octet if match[1] and UNRESERVED.match(octet) else b'%%%02X' % octet[0]
            return ENCODE.sub(one, text)

        def undot(path):
            out = []
            parts = path.split(b'/')[1:]
            for place, part in enumerate(parts):
                last = place == len(parts) - 1
                if part == b'..':
                    out[-1:] = []
                elif part != b'.':
                    out.append(part)
                    continue
                if last:
                    out.append(b'')
            return b''.join(b'/' + part for part in out)

        def canonical(text):
            if len(text) > 65535: return None
            text = re.sub(rb'[\t\n\r]', b'', text.strip(bytes(range(0x21)))).split(b'#')[0]
            match = re.match(rb'([A-Za-z][A-Za-z0-9+.-]*):(?s:(.*))\Z', text)
            if not match: return None
            scheme, rest = match[1].lower(), match[2]
            rest, mark, query = rest.partition(b'?')
            default = PORTS.get(scheme)
            out = scheme + b':'
            if rest.startswith(b'//'):
                authority, slash, path = rest[2:].partition(b'/')
                userinfo, at, host = authority.rpartition(b'@')
                match = re.match(HOST, host)
                if not match: return None
                host, port = match[1], match[2]
                if default and not host: return None
                if not host.startswith(b'['): host = normal(host)
                host = re.sub(rb'%..|[A-Z]', lambda m: m[0] if m[0][:1] == b'%' else m[0].lower(), host)
                out += b'//' + normal(userinfo) + at + host
                if port:
                    if int(port) > 65535: return None
                    if int(port) != default: out += b':%d' % int(port)
                path = undot(normal(slash + path)) if slash else b''
                out += path or (b'/' if default else b'')
            elif default:
                return None
            else:
                out += normal(rest)
            out += mark + normal(query)
            return out if len(out) <= 65535 else None

        for line in open(sys.argv[1]).read().split('\n'):
            kind, _, given = line.partition(' ')
            given = bytes.fromhex(given)
            if kind == 'canonical': response = canonical(given)
            elif kind == 'join': response = urljoin('http://a/b/c/d;p?q', given.decode()).encode()
            elif kind == 'quote': response = quote(given, safe="!$&'()*+,;=:@").encode()
            else: response = unquote_to_bytes(given)
            print('=error' if response is None else '=' + response.hex())
        """#
}
