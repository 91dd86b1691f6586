// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Help")
struct HelpTests {
    private static let options: [String: [String]] = [
        "pack": [
            "--output", "-o", "--base-url", "--main-page", "--title", "--language", "--creator", "--description",
            "--date", "--include", "--exclude", "--allow-outside-links", "--strict-links", "--level", "--no-dictionary",
            "--time",
            "--append", "--threads", "--json", "--quiet", "SOURCE_DATE_EPOCH",
        ],
        "unpack": ["--directory", "-C", "--force", "--url", "--layout", "--threads", "--json", "--quiet"],
        "crawl": [
            "--output", "-o", "--scope", "--include", "--exclude", "--depth", "--extra-hops", "--pages", "--bytes",
            "--time", "--failures", "--delay", "--tabs", "--ignore-robots", "--no-sitemaps", "--header", "-H",
            "--profile", "--script", "--screenshots", "--trust", "--allow-private", "--browser", "--json", "--quiet",
            "page",
            "prefix", "host",
            "domain", "custom",
        ],
        "kiosk": [
            "--browser", "--browser-option", "--idle", "--outside", "--windowed", "--headless", "--state", "--no-copy",
            "--port", "--access-log", "--threads",
        ],
        "verify": ["--quick", "--threads", "--json", "--quiet"],
        "ls": ["--url", "--long", "--json"],
        "info": ["--depth", "--all", "--json", "--quiet"],
        "cat": ["--follow", "--head"],
        "fetch": [
            "--output", "-o", "--header", "-H", "--method", "-X", "--data", "-d", "--user-agent", "-A", "--timeout",
            "--max-size", "--keep-credentials", "--ignore-no-store", "--json", "--quiet",
        ],
        "get": [
            "--policy", "--fresh-for", "--expires-after", "--offline", "--head", "-I", "--output", "-o", "--record",
            "--header", "--method", "--data", "--user-agent", "--timeout", "--max-size", "--keep-credentials",
            "--ignore-no-store", "--quiet", "archive-only", "archive-first", "network-first", "stale-while-revalidate",
            "http", "network-only",
        ],
        "record": [
            "--output", "-o", "--host", "--port", "--authority", "--trust", "--allow-private", "--keep-credentials",
            "--exact", "--max-size", "--max-archive", "--max-connections", "--threads", "--json",
        ],
        "compact": ["--output", "--json", "--quiet"],
        "extract": ["--output", "-o", "--include", "--exclude", "--url", "--key", "--json", "--quiet"],
        "merge": ["--output", "-o", "--sign", "--series", "--key", "--threads", "--json", "--quiet"],
        "import": ["--output", "-o", "--append", "--exact", "--strict", "--json", "--quiet"],
        "export": ["--output", "-o", "--exact", "--key", "--quiet"],
        "split": ["--output", "-o", "--size", "4GiB", "999", "--json", "--quiet"],
        "join": ["--output", "-o", "--json", "--quiet"],
        "why": ["--method", "--header"],
        "prove": [
            "--page", "--sample", "--seed", "--at", "--time", "--fixed-clock", "--fixed-random", "--report", "--tabs",
            "--timeout", "--browser", "--browser-option", "--without-rule", "--screenshots", "--json", "--quiet",
        ],
        "index": ["--plist", "--output"],
    ]

    @Test(arguments: options.keys.sorted())
    func everyOptionExampleAndStatus(_ name: String) throws {
        let result = try WebarcTool.run(name, "--help")
        #expect(result.status == 0 && result.errorText.isEmpty)
        for option in Self.options[name] ?? [] { #expect(result.text.contains(option), "\(name) \(option)") }
        for word in ["EXAMPLES:", "EXIT STATUS:", "  0 ", "  1 ", "  2 ", "  64 ", "  74 "] {
            #expect(result.text.contains(word), "\(name) \(word)")
        }
        // Examples and tables come out as they were written: no line is broken.
        #expect(result.lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE:") })
        #expect(try WebarcTool.run("help", name).text == result.text)
    }

    /// Examples and statuses that are wider than a terminal would wrap to column 0.
    @Test(arguments: [
        [], ["pack"], ["fetch"], ["record"], ["compact"], ["extract"], ["import"], ["export"], ["merge"], ["split"],
        ["crawl"],
        ["join"],
        ["sign"], ["key", "create"],
        ["key", "show"], ["key", "endorse"], ["key", "revoke"], ["heal"], ["release"], ["update"], ["diff"], ["patch"],
        ["serve"], ["kiosk"], ["ca", "create"], ["unpack"], ["cat"], ["get"], ["ls"], ["info"], ["verify"], ["why"],
        ["prove"], ["index"],
    ])
    func examplesAndStatusesAreIndented(_ command: [String]) throws {
        let lines = try WebarcTool.run(command + ["--help"]).text.split(
            separator: "\n", omittingEmptySubsequences: false)
        for title in ["EXAMPLES:", "EXIT STATUS:", "POLICIES:", "WITH --long:"] {
            guard let start = lines.firstIndex(of: title[...]) else { continue }
            let section = lines[(start + 1)...].prefix { !$0.isEmpty && !$0.hasPrefix("With several") }
            #expect(!section.isEmpty && section.allSatisfy { $0.hasPrefix("  ") }, "\(section)")
        }
    }

    /// A text that continues in the next line of the source may contain that line's indentation by mistake.
    @Test func sentencesHaveSingleSpaces() throws {
        let names = try WebarcTool.run("--help").text.matches(of: /\n  ([a-z]+)(?:, [a-z]+)? {2,}[A-Z]/).map {
            String($0.1)
        }
        #expect(Set(Self.options.keys).isSubset(of: names), "\(names)")
        for name in names {
            let text = try WebarcTool.run("help", name).text
            #expect(text.firstMatch(of: /[a-z] [a-z,;]+ {2,}[a-z]/).map { String($0.0) } == nil, "\(name)")
        }
    }

    /// A command that a signal ends with a status of its own says so.
    @Test(arguments: [
        "pack", "unpack", "verify", "compact", "extract", "import", "export", "merge", "split", "join", "fetch",
        "record", "crawl",
    ])
    func interruption(_ name: String) throws {
        #expect(try WebarcTool.run(name, "--help").text.contains("\n  130  stopped"))
    }

    @Test func defaultsAndAliases() throws {
        #expect(try WebarcTool.run("pack", "--help").text.contains("(default: 1)"))
        #expect(try WebarcTool.run("serve", "--help").text.contains("(default: 128M)"))
        #expect(try WebarcTool.run("serve", "--help").text.contains("(default: 8080)"))
        #expect(try WebarcTool.run("fetch", "--help").text.contains("(default: 60s)"))
        #expect(try WebarcTool.run("help", "list").text == WebarcTool.run("ls", "--help").text)
        #expect(try WebarcTool.run("help", "ca", "create").text == WebarcTool.run("ca", "create", "--help").text)
    }

    @Test func allCommandsAndStatuses() throws {
        let result = try WebarcTool.run("--help")
        for name in Self.options.keys { #expect(result.text.contains("\n  \(name)")) }
        for status in ["0", "1", "2", "64", "69", "73", "74", "75", "130"] {
            #expect(result.text.contains("\n  \(status) "))
        }
        #expect(try WebarcTool.run().text == result.text)
        #expect(try WebarcTool.run("--version").text == "1.0.0\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func shellsAcceptTheCompletions(_ shell: String) throws {
        let script = try WebarcTool.run("--generate-completion-script", shell)
        #expect(script.status == 0)
        for name in Self.options.keys { #expect(script.text.contains(name)) }
        guard try ExternalTool.run(["sh", "-c", "command -v \(shell)"]).status == 0 else { return }
        let check = try ExternalTool.run([shell, "-n", "/dev/stdin"], input: script.output)
        #expect(check.status == 0, "\(check.errorText)")
    }
}
