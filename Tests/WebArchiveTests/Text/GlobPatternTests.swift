// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@Suite struct GlobPatternTests {
    /// Examples are from gitignore(5).
    @Test(arguments: [
        ("hello.*", "hello.txt", false, true), ("hello.*", "a/hello.java", false, true),
        ("/hello.*", "a/hello.java", false, false),
        ("/hello.*", "hello.c", false, true), ("foo/", "foo", true, true), ("foo/", "a/foo", true, true),
        ("foo/", "foo", false, false),
        ("doc/frotz/", "doc/frotz", true, true), ("doc/frotz/", "a/doc/frotz", true, false),
        ("foo/*", "foo/test.json", false, true),
        ("foo/*", "foo/bar/hello.c", false, false), ("**/foo", "foo", false, true), ("**/foo", "a/b/foo", false, true),
        ("**/foo/bar", "a/foo/bar", false, true), ("abc/**", "abc/x/y", false, true), ("abc/**", "abc", true, false),
        ("a/**/b", "a/b", false, true), ("a/**/b", "a/x/y/b", false, true), ("a/**/b", "a/xb", false, false),
        ("a**b", "axxb", false, true), ("/a**b", "a/b", false, false), ("**", "x/y", false, true),
        ("[!a-c]x", "dx", false, true),
        ("[!a-c]x", "bx", false, false), ("[]-]", "-", false, true), ("[]-]", "]", false, true),
        ("[[:digit:]]", "7", false, true),
        ("[[:digit:]_]", "_", false, true), ("[a-]", "-", false, true), ("[a-c-e]", "d", false, false),
        ("[a-c-e]", "-", false, true), ("\\*", "*", false, true),
        ("\\*", "a", false, false),
        ("[\\]]", "]", false, true), ("a?c", "abc", false, true), ("a?c", "a/c", false, false),
        ("#x", "#x", false, true),
        ("\\!x", "!x", false, true), ("a ", "a ", false, true), ("[a/]b", "ab", false, true),
    ])
    func aPatternMatches(pattern: String, path: String, isDirectory: Bool, expected: Bool) throws {
        #expect(try GlobPattern(pattern).matches(Array(path.utf8), isDirectory: isDirectory) == expected)
    }

    @Test func aDirectoryCoversItsContentsAndBytesNeedNotBeUTF8() throws {
        let pattern = try GlobPattern("node_modules/")
        #expect(pattern.covers(Array("a/node_modules/b/c".utf8), isDirectory: false))
        #expect(!pattern.covers(Array("a/node_modules".utf8), isDirectory: false))
        #expect(!pattern.matches(Array("a/node_modules/b/c".utf8), isDirectory: false))
        #expect(try GlobPattern(bytes: [0xFF, 0x2A]).matches([0x61, 0x2F, 0xFF, 0xFE], isDirectory: false))
        #expect(try GlobPattern("[!a]").matches([0xFF], isDirectory: false))
    }

    @Test(arguments: [
        ("", GlobPattern.Failure.empty), ("/", .empty), ("//", .empty), ("!a", .negation), ("[a", .characterClass),
        ("[]", .characterClass), ("[[:nope:]]", .characterClass), ("a[", .characterClass), ("a\\", .trailingBackslash),
        ("[\\", .characterClass), ("[a-\\", .characterClass),
    ])
    func aPatternOfNoUseIsRefused(pattern: String, expected: GlobPattern.Failure) {
        #expect(throws: expected) { try GlobPattern(pattern) }
        #expect(throws: GlobPattern.Failure.tooLong) { try GlobPattern(String(repeating: "a", count: 4097)) }
    }

    @Test(.timeLimit(.minutes(5))) func hostilePatternsEndInTime() throws {
        let stars = try GlobPattern(String(repeating: "*a", count: 500) + "b")
        let deep = try GlobPattern(String(repeating: "**/a/", count: 300) + "b")
        let both = try GlobPattern("/" + String(repeating: "**/*a*/", count: 300) + "b")
        #expect(!stars.matches(Array(repeating: UInt8(ascii: "a"), count: 2000), isDirectory: false))
        let path = Array(String(repeating: "a/", count: 1000).utf8) + [UInt8(ascii: "a")]
        #expect(!deep.matches(path, isDirectory: false))
        #expect(!both.matches(path, isDirectory: false))
    }

    /// Each pattern is the excludes file of one run of git over the same tree, from one shell.
    @Test func gitCheckIgnoreAgreesOnRandomPatterns() throws {
        let seed =
            ProcessInfo.processInfo.environment["WEBARC_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        print("GlobPatternTests seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let files = FileManager.default
        let root = files.temporaryDirectory.appendingPathComponent("glob-\(UUID().uuidString)")
        let tree = root.appendingPathComponent("tree")
        try files.createDirectory(at: tree, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: root) }

        let paths = try makeTree(in: tree, using: &generator)
        let patterns = (0..<300).map { _ in randomPattern(using: &generator) }
        try Data(paths.keys.sorted().map { $0 + "\0" }.joined().utf8).write(to: root.appendingPathComponent("input"))
        for (index, pattern) in patterns.enumerated() {
            try Data((pattern + "\n").utf8).write(to: root.appendingPathComponent("pattern-\(index)"))
        }
        let script = """
            git init -q . && i=0 && while [ $i -lt \(patterns.count) ]; do
              git -c core.ignoreCase=false -c core.excludesFile="$PWD/../pattern-$i" \\
                check-ignore --no-index --stdin -z < ../input
              printf '\\n'; i=$((i + 1))
            done
            """
        let output = try ExternalTool.run(["sh", "-c", script], in: tree).text
        let results = output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(results.count == patterns.count + 1)
        var matches = 0
        for (pattern, result) in zip(patterns, results) {
            let ignored = Set(result.split(separator: "\0").map(String.init))
            matches += ignored.count
            // A pattern that is refused here matches nothing in git.
            let compiled = try? GlobPattern(pattern)
            for (path, isDirectory) in paths {
                let ours = compiled?.covers(Array(path.utf8), isDirectory: isDirectory) ?? false
                #expect(
                    ours == ignored.contains(path),
                    "seed \(seed): \(pattern) with \(path)\(isDirectory ? "/" : "")")
            }
        }
        #expect(matches > 400)
    }

    /// Makes files and directories; returns their paths and whether each is a directory.
    private func makeTree(in tree: URL, using generator: inout SeededGenerator) throws -> [String: Bool] {
        var paths: [String: Bool] = [:]
        for _ in 0..<40 {
            let names = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                ["a", "b", "ab", "abc", "cab", "a-b", ".a", "]", "B1"].randomElement(using: &generator) ?? "a"
            }
            for length in 1...names.count {
                let path = names.prefix(length).joined(separator: "/")
                // A file stays one: nothing is made below it.
                if let isDirectory = paths[path] {
                    if isDirectory { continue } else { break }
                }
                let isDirectory = length < names.count || Bool.random(using: &generator)
                paths[path] = isDirectory
                let url = tree.appendingPathComponent(path)
                if isDirectory {
                    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
                } else {
                    try Data().write(to: url)
                }
            }
        }
        return paths
    }

    private func randomPattern(using generator: inout SeededGenerator) -> String {
        let pieces = [
            "a", "b", "ab", "c", "-", ".", "*", "*", "**", "***", "?", "/", "/", "/**/", "**/", "/**", "[ab]", "[!a]",
            "[a-c]",
            "[^b-]", "[]a]", "[[:alpha:]]", "[[:upper:]1]", "[c-a]", "[", "]", "\\a", "\\*", "\\", "[\\]a]", "[a-\\c]",
            "[[:a]", "[a-b-c]",
            "[[:x:]]",
        ]
        var pattern = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? "a"
        }.joined()
        // git has its own mind about an escaped slash, which no one writes.
        pattern = pattern.replacing("\\/", with: "/")
        // git cuts a literal start off before it matches, and so takes `a**/b` for `a` and `**/b`, against
        // its documentation ("other consecutive asterisks are considered regular asterisks").
        let start = pattern.prefix { !"*?[\\".contains($0) }
        let rest = pattern.dropFirst(start.count)
        if rest.hasPrefix("**"), let last = start.last, last != "/" {
            pattern = start + "*" + rest.drop { $0 == "*" }
        }
        return Int.random(in: 0..<6, using: &generator) == 0 ? pattern + "/" : pattern
    }
}
