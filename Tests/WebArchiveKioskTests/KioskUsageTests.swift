// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveKiosk
@testable import WebArchiveServer

@Suite struct KioskUsageTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A clock that stands where a test puts it.
    private final class Clock: Sendable {
        private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        var now: Date { time.withLock { $0 } }
        func pass(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    private func navigation(isMissing: Bool = false, isRedirect: Bool = false) -> ReplayService.Navigation {
        ReplayService.Navigation(isMainPage: false, isMissing: isMissing, isRedirect: isRedirect)
    }

    private func column(_ name: String, of file: [UInt8]) throws -> [String] {
        let script =
            "import csv, sys, json\nfor row in csv.DictReader(open(json.loads(sys.stdin.readline()), newline='')): print(row['\(name)'])"
        let folder = try TemporaryFolder()
        let path = try folder.write("usage.csv", file)
        let tool = try ExternalTool.run(
            ["python3", "-c", script], input: Data((JSONValue.string(path.string).line + "\n").utf8))
        return tool.text.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: Python.isThere)) func daysAreCountedInAFileThatOutlivesTheKiosk() throws {
        let folder = try TemporaryFolder()
        let (path, clock) = (folder.path("state/usage.csv"), Clock())
        for run in 0..<2 {
            let usage = KioskUsage(file: path, logger: Self.quiet, now: { clock.now })
            usage.browserStarts()
            // The kiosk's own, with a redirect before it.
            usage.note(navigation(isRedirect: true))
            usage.note(navigation())
            for _ in 0...run { usage.note(navigation()) }
            usage.note(navigation(isMissing: true))
            usage.note(navigation(isRedirect: true))
            usage.add(.idleResets)
            clock.pass(86_400)
            usage.add(.browserRestarts, times: 3)
            usage.flush()
        }
        let file = try folder.read("state/usage.csv")
        #expect(try column("pages", of: file) == ["1", "2", "0"])
        #expect(try column("misses", of: file) == ["1", "1", "0"])
        #expect(try column("idle_resets", of: file) == ["1", "1", "0"])
        #expect(try column("browser_restarts", of: file) == ["0", "3", "3"])
        #expect(try column("date", of: file).allSatisfy { $0.wholeMatch(of: #/2027-01-1[5-9]/#) != nil })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("state").string) == ["usage.csv"])
    }

    @Test func metricsAndJSONSayTheSame() throws {
        let usage = KioskUsage(file: nil, logger: Self.quiet)
        for _ in 0..<5 { usage.note(navigation()) }
        usage.note(navigation(isMissing: true))
        #expect(usage.metrics.map(\.value) == [5, 1, 0, 0])
        #expect(
            usage.metrics.map(\.prometheusText).joined().contains(
                "# TYPE webarc_kiosk_pages_total counter\nwebarc_kiosk_pages_total 5\n"))
        let total = usage.json["sinceStart"]
        #expect(total?["pages"]?.number == 5 && total?["misses"]?.number == 1 && total?["idle_resets"]?.number == 0)
        #expect(usage.json["days"]?.items.first?["pages"]?.number == 5)
    }

    /// The file takes no more than three years, whatever the clock does.
    @Test func fileIsBounded() throws {
        var table = UsageTable()
        for day in 0..<5000 { table.add(.pages, on: "\(1000 + day)-01-01") }
        #expect(
            table.days.count == UsageTable.maximumDayCount && table.days["5999-01-01"] != nil
                && table.days["1000-01-01"] == nil)
        #expect(table.csv.utf8.count < UsageTable.maximumFileLength)
        #expect(UsageTable(csv: table.csv) == table)
    }

    /// A row that a power cut or an editor has damaged costs that row.
    @Test(arguments: [
        "2026-01-02,1,2,3", "2026-01-02,1,2,3,4,5", "yesterday,1,2,3,4", "2026-01-02,-1,2,3,4", "2026-01-02,1,x,3,4",
        "2026-01-02,99999999999999999999,2,3,4", ",,,,", "\u{0}\u{0}",
    ])
    func damagedRowsAreLeftOut(row: String) throws {
        var table = UsageTable()
        table.add(.misses, on: "2026-01-01")
        #expect(UsageTable(csv: table.csv + row + "\r\n") == table)
    }

    /// A name that is another file's is a mistake, and the file stays what it is.
    @Test(arguments: ["<html>", "date,visitors\r\n2026-01-01,7\r\n", String(repeating: "date", count: 1 << 19)])
    func foreignFilesAreLeftAlone(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("mine.csv", text.utf8)
        let usage = KioskUsage(file: path, logger: Self.quiet)
        usage.add(.idleResets)
        usage.flush()
        #expect(try folder.read("mine.csv") == Array(text.utf8))
        #expect(usage.metrics.map(\.value) == [0, 0, 1, 0])
    }

    @Test func supervisorTellsResetsFromRestarts() {
        var supervisor = KioskSupervisor(idle: .seconds(60), isControlled: true)
        _ = supervisor.handle(nil, at: .zero)
        _ = supervisor.handle(.ready(1), at: .zero)
        _ = supervisor.handle(.used(1), at: .zero)
        _ = supervisor.handle(nil, at: .seconds(60))
        #expect(supervisor.idleResets == 1 && supervisor.restarts == 0)
        _ = supervisor.handle(.ready(2), at: .seconds(61))
        _ = supervisor.handle(.pageCrashed(2), at: .seconds(62))
        _ = supervisor.handle(.archiveChanged, at: .seconds(70))
        #expect(supervisor.idleResets == 1 && supervisor.restarts == 1)
    }
}
