// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

/// The second reader, Spec/reference, which was written from the specification alone, and the script that makes the vectors.
@Suite struct SecondReaderTests {
    @Test func readsTheVectors() throws {
        let reader = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path
        let result = try Python.run([reader, "check-vectors", Vectors.folder.path])
        let failures = result.text.split(separator: "\n").filter { !$0.hasPrefix("ok ") }.joined(separator: "\n")
        #expect(result.status == 0, "\(failures)\n\(result.errorText)")
    }

    @Test func vectorsAreWhatTheScriptMakes() throws {
        let folder = try TemporaryFolder()
        let script = Vectors.root.appendingPathComponent("Tools/make-vectors").path
        let result = try Python.run([script, folder.url.path])
        try #require(result.status == 0, "\(result.errorText)")
        for kind in ["valid", "invalid", "signed"] {
            let made = try names(folder.url, kind)
            #expect(try names(Vectors.folder, kind) == made)
            for name in made.map({ "\(kind)/\($0)" }) {
                #expect(try read(folder.url, name) == read(Vectors.folder, name), "\(name)")
            }
        }
        for name in ["expectations.json", "trust.json", "urls.json"] {
            #expect(try read(folder.url, name) == read(Vectors.folder, name), "\(name)")
        }
        #expect(try Python.run([script, folder.url.path]).status != 0, "overwrites what is there")
    }

    /// The annotated archive of section 12.1 of the specification is the vector.
    @Test func workedExampleIsTheVector() throws {
        let text = try String(contentsOf: Vectors.root.appendingPathComponent("Spec/webarc-1.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "### 12.1 ").last)
        var bytes: [UInt8] = []
        for line in section.components(separatedBy: "```")[1].split(separator: "\n") {
            let parts = line.components(separatedBy: "  ")
            #expect(Int(parts[0], radix: 16) == bytes.count, "\(line)")
            bytes += parts[1].split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
        #expect(bytes == Vectors.valid.first { $0.name == "smallest.webarc" }?.bytes)
    }

    /// Tests of section 8.5, rules 3 to 6, 8 and 12, with both readers.
    @Test func rulesOfLookup() throws {
        let folder = try TemporaryFolder()
        let (path, file) = (folder.path("a.webarc"), folder.url.appendingPathComponent("a.webarc").path)
        let writer = try ArchiveWriter(creating: path)
        let stored = [
            "p", "p?x=1", "q?x=2", "operator=.html", "f%28x%29.html", "%21/", "images/left.png", "a//b",
            "dir/index.html",
            "other/", "about.html", "about/", "c.html.html",
        ]
        for name in stored {
            try writer.add(
                ArchiveRequest(url: "http://a/\(name)"), response: ArchiveResponse(),
                body: writer.addBody(Array(name.utf8)))
        }
        try writer.commit()
        let script = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path
        for (reference, expected) in [
            ("p?x=1", "p?x=1"), ("p?x=2", "p"), ("p?", "p"), ("p", "p"), ("none?x=1", nil), ("p?x=2#end", "p"),
            ("q?x=1", nil), ("operator%3D.html", "operator=.html"), ("operator%3d.html?v", "operator=.html"),
            ("f(x).html", "f%28x%29.html"), ("f(x%29", "f%28x%29.html"), ("!", "%21/"), ("operator%253D.html", nil),
            ("images//left.png", "images/left.png"), ("///images//left.png", "images/left.png"), ("a/b", nil),
            ("a//b", "a//b"), ("dir", "dir/index.html"), ("dir//", "dir/index.html"), ("other/index.html", "other/"),
            ("about", "about/"), ("about/index.html", "about/"), ("c", nil), ("c.html", nil), ("images/left", nil),
            ("operator=", "operator=.html"), ("%3Dp", nil),
        ] as [(String, String?)] {
            for scheme in ["http", "https"] {
                let url = "\(scheme)://a/\(reference)"
                for options in [.serving, .exactOnly] as [ArchiveMatcher.Options] {
                    let match = try ArchiveMatcher(ArchiveReader(path: path), options: options)
                        .match(MatchRequest(url: CanonicalURL(url)))
                    let second = try Python.run(
                        [script, "cat", file, url] + (options == .exactOnly ? [] : ["--by-rules"]))
                    #expect((second.status == 0) == (match != nil), "\(url): \(second.errorText)")
                    let content = try match?.entry.body?.bytes() ?? []
                    #expect(Array(second.output) == content, "\(url)")
                    if options == .serving { #expect(content == Array((expected ?? "").utf8), "\(url)") }
                }
            }
        }
    }

    /// Tests of section 8.5, rules 9 to 11, with both readers.
    @Test func rulesForRecordings() throws {
        let (folder, session) = (try TemporaryFolder(), String(repeating: "a1", count: 8))
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        let stored = [
            ("p?id=1&_=1589234567890", 200), ("p?id=2&utm_source=x&_=1", 200), ("q", 200), ("r?1589234", 200),
            ("s?sid=\(session)&n=1", 200), ("a.js?v=1", 200), ("b.css?v=1", 200), ("b.css?v=2", 200),
            ("b.css?v=3", 200),
            ("c.json?callback=jQuery12_3&_=1", 200), ("d.png?t=1", 503), ("e.GIF?t=1", 304), ("f.mp4", 404),
            ("g.js?a=1", 200), ("g.js?a=2", 200), ("t?ts=1589234567890&x", 200), ("o.json?v=1", 200),
            ("u;jsessionid=\(session)?n=1", 200), ("v", 200), ("w;jsessionid=\(session)", 503), ("u;v?n=1", 200),
        ]
        for (number, (name, status)) in stored.enumerated() {
            try writer.add(
                ArchiveRequest(method: name.hasPrefix("o") ? "OPTIONS" : "GET", url: "http://a/\(name)"),
                response: ArchiveResponse(status: status), body: writer.addBody(Array(name.utf8)),
                time: ArchiveTime(nanoseconds: Int64(number + 1)))
        }
        try writer.commit()
        let file = folder.url.appendingPathComponent("a.webarc").path
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        let script = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path
        let options = ArchiveMatcher.Options(rules: ArchiveMatcher.Options.recordingRules)
        for (reference, expected, rule) in [
            ("p?id=1&_=1589234567890", "p?id=1&_=1589234567890", .exact), ("p?_=7&id=1", stored[0].0, .cacheBusters),
            ("p?id=1", stored[0].0, .cacheBusters), ("p?id=2&fbclid=IwAR0&cb=0.731", stored[1].0, .cacheBusters),
            ("p?id=3&_=1589234567890", nil, nil), ("p?id=1&_=f", nil, nil), ("p?id=1&cb=f1", nil, nil), ("p", nil, nil),
            ("q?_ga=2.1-x", "q", .cacheBusters), ("q?nocache=12", "q", .cacheBusters), ("q?nocache=on", nil, nil),
            ("q?ts=123456789012", nil, nil), ("q?ts=1234567890123", "q", .cacheBusters), ("q?12", "q", .cacheBusters),
            ("q?products=4006381333931", nil, nil), ("q?TS=4006381333931", "q", .cacheBusters),
            ("q?client_Ts=4006381333931", "q", .cacheBusters), ("q?clientTs=4006381333931", "q", .cacheBusters),
            ("q?PRODUCTS=4006381333931", nil, nil), ("q?timestamp=1234567890123", "q", .cacheBusters),
            ("q?timestamps=1234567890123", nil, nil), ("q?tsx=1234567890123", nil, nil),
            ("q?x.ts=1234567890123", "q", .cacheBusters),
            ("q?Bustit=12345678901234567", nil, nil), ("q?12&13", nil, nil), ("q?.", nil, nil), ("q?_", nil, nil),
            ("r?77", "r?1589234", .cacheBusters),
            ("s?sid=\(session.reversed().map(String.init).joined())&n=1", stored[4].0, .sessionIDs),
            ("s?n=1&_=1", stored[4].0, .sessionIDs), ("s?sid=short&n=1", nil, nil),
            ("s?cfid=7&CFTOKEN=8&n=1", stored[4].0, .sessionIDs),
            ("s?sid=\(session)%2F&n=1", nil, nil), ("a.js?v=2", "a.js?v=1", .queryOfFile),
            ("a.js", "a.js?v=1", .queryOfFile),
            ("b.css?v=4", nil, nil), ("c.json?callback=jQuery12_3&_=2", stored[9].0, .cacheBusters),
            ("c.json?callback=jQuery99_3&_=2", nil, nil), ("c.json?x", nil, nil), ("d.png?t=2", nil, nil),
            ("e.GIF?t=2", nil, nil), ("f.mp4?t=2", "f.mp4", .queryOfFile), ("g.js?a=3", "g.js?a=2", .queryOfFile),
            ("t?x&ts=1", nil, nil), ("t?x", stored[15].0, .cacheBusters), ("o.json?v=2", nil, nil),
            ("u?n=1", stored[17].0, .sessionIDs), ("u;JSESSIONID=\(session)0.a-1?n=1&_=3", stored[17].0, .sessionIDs),
            ("u;jsessionid=\(session)?n=1&_=3", stored[17].0, .cacheBusters), ("u?n=2", nil, nil),
            ("u;jsessionid=short?n=1", nil, nil), ("v;jsessionid=\(session)?sid=\(session)", "v", .sessionIDs),
            ("v;jsessionid=\(session)/", nil, nil), ("v;x=\(session)", nil, nil), ("w", nil, nil),
        ] as [(String, String?, MatchRule?)] {
            let url = "http://a/\(reference)"
            let match = try ArchiveMatcher(reader, options: options).match(MatchRequest(url: CanonicalURL(url)))
            #expect(try match?.entry.key == expected.map { "http://a/\($0)" } && match?.rules.last == rule, "\(url)")
            let second = try Python.run([script, "cat", file, url, "--recording"])
            #expect((second.status == 0) == (expected != nil), "\(url): \(second.errorText)")
            #expect(second.text == expected ?? "", "\(url)")
            // A library has none of these rules.
            let own = try ArchiveMatcher(reader).match(MatchRequest(url: CanonicalURL(url)))
            #expect((own != nil) == (rule == .exact), "\(url)")
        }
        let other = try MatchRequest(url: CanonicalURL("http://a/o.json?v=2"), method: "OPTIONS")
        #expect(try ArchiveMatcher(reader, options: .replaying).match(other) == nil)
    }

    /// Captures by time, section 8.5, in archives of several commits, with both readers.
    @Test func lookupByTime() throws {
        var random = SeededGenerator()
        let folder = try TemporaryFolder()
        let (path, url) = (folder.path("a.webarc"), "http://a/")
        var times: [Int64] = []
        for commit in 0..<3 {
            let writer = try commit == 0 ? ArchiveWriter(creating: path) : ArchiveWriter(appendingTo: path)
            for number in 0..<4 {
                // Few different ones, so that there are equal times and equal distances; 0 is an unknown time.
                times.append(Int64.random(in: -5...15, using: &random))
                try writer.add(
                    ArchiveRequest(url: url), response: ArchiveResponse(),
                    body: writer.addBody(Array("\(commit).\(number)".utf8)),
                    time: times.last.flatMap(ArchiveTime.init(nanoseconds:)))
            }
            try writer.commit()
        }
        let script = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path
        let matcher = try ArchiveMatcher(ArchiveReader(path: path), options: .exactOnly)
        let note: Comment = "times \(times) seed \(random.seed)"
        for asked in (-8...18 as ClosedRange<Int64>).filter({ $0 != 0 }) {
            let request = try MatchRequest(url: CanonicalURL(url), time: ArchiveTime(nanoseconds: asked))
            let entry = try #require(try matcher.match(request)?.entry)
            let nearest = times.map { abs($0 - asked) }.min()
            #expect(abs((try entry.time?.nanoseconds ?? 0) - asked) == nearest, note)
            let second = try Python.run([
                script, "cat", folder.url.appendingPathComponent("a.webarc").path, url, "--at=\(asked)",
            ])
            #expect(try Array(second.output) == entry.body?.bytes(), note)
        }
    }

    private func names(_ folder: URL, _ kind: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(kind).path).sorted()
    }

    private func read(_ folder: URL, _ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    @Test(arguments: Vectors.urls.canonical)
    func canonicalURLs(_ example: [String]) throws {
        let url = try CanonicalURL(parsing: example[0])
        #expect(url.description == example[1])
        #expect(try CanonicalURL(parsing: example[1]).description == example[1])
    }

    @Test(arguments: Vectors.urls.invalid)
    func textsThatAreNoURL(_ text: String) {
        #expect(throws: ArchiveError(.invalidArgument, "")) { try CanonicalURL(parsing: text) }
    }
}

/// Python 3 with the package lz4, which these tests cannot do without.
enum Python {
    struct IsMissing: Error, CustomStringConvertible {
        let description = "the conformance tests need python3 3.11 with the package lz4 (pip install lz4)"
    }

    private static let isComplete =
        (try? ExternalTool.run([
            "python3", "-c", "import lz4.block, sys; sys.exit(sys.version_info < (3, 11))",
        ]))?.status == 0

    static func run(_ arguments: [String], input: Data = Data()) throws -> ExternalTool.Result {
        guard isComplete else { throw IsMissing() }
        // -B: no __pycache__ in the source tree.
        return try ExternalTool.run(["python3", "-B"] + arguments, input: input)
    }

    /// The SHA-256 of each text, in hexadecimal digits.
    static func sha256(_ texts: [[UInt8]]) throws -> [String] {
        let program = """
            import hashlib, sys
            while head := sys.stdin.buffer.read(8):
                print(hashlib.sha256(sys.stdin.buffer.read(int.from_bytes(head, "little"))).hexdigest())
            """
        var input = Data()
        for text in texts {
            withUnsafeBytes(of: UInt64(text.count).littleEndian) { input.append(contentsOf: $0) }
            input.append(contentsOf: text)
        }
        let result = try run(["-c", program], input: input)
        return result.text.split(separator: "\n").map(String.init)
    }
}
