// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveServer

@Suite struct ArchiveCatalogueTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func add(_ name: String, _ text: String, _ metadata: [String: String] = [:]) throws {
        let writer = try ArchiveWriter(creating: folder.path(name))
        let url = "https://site.example/"
        try ReplaySample.add(url, "text/html", Array(text.utf8), writer)
        try writer.setMetadata("mainPage", to: url)
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) { try writer.setMetadata(name, to: value) }
        try writer.commit()
    }

    private func service(
        domain: String? = nil, threads: CatalogueThreads = CatalogueThreads(count: 2)
    ) throws -> (service: ReplayService, catalogue: ArchiveCatalogue) {
        let catalogue = try ArchiveCatalogue([FilePath(folder.url.path)], threads: threads)
        var options = ReplayService.Options()
        options.domain = domain
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return (ReplayService(catalogue, options: options, logger: logger), catalogue)
    }

    private func get(_ service: ReplayService, _ url: String) -> ReplayResponse {
        var request = ReplayRequest(url)
        request.addressing = .mainPageOrigin
        let names = ServerNames(domain: service.options.domain)
        return service.respond(
            to: request, by: service.route(request, isDirect: true, place: names.place(of: request.head.authority)))
    }

    private func waitUntilDescribed(_ catalogue: ArchiveCatalogue) {
        #expect(waits { catalogue.sites.allSatisfy { $0.description != nil } })
    }

    @Test func eachArchiveHasANameOfItsOwn() throws {
        for name in ["Explorer.webarc", "Manual.webarc", "my shop.webarc", "my-shop.webarc", "ä.webarc"] {
            try add(name, name)
        }
        try Data("no archive".utf8).write(to: folder.url.appendingPathComponent("notes.txt"))
        let (service, catalogue) = try service(domain: "Kiosk.LAN")
        #expect(catalogue.sites.map(\.name) == ["explorer-2", "manual", "my-shop", "my-shop-2", "site"])
        for domain in ["localhost:8080", "kiosk.lan", "LOCALHOST"] {
            #expect(try get(service, "http://manual.\(domain)/").text == "Manual.webarc")
            #expect(try get(service, "http://my-shop-2.\(domain)/").text == "my shop.webarc")
        }
        #expect(get(service, "http://none.localhost/").status == 404)
        #expect(get(service, "http://a.manual.localhost/").status == 404)
        #expect(get(service, "http://manual.other.lan/").status == 421)
    }

    /// A file that is spelt as its label has it, whatever stands before it; others follow in the order of their names.
    @Test func theExactSpellingHasTheName() throws {
        for name in ["A.webarc", "a.webarc", "A-2.webarc", "a 3.webarc", "a-3.webarc", "B.webarc"] {
            try add(name, name)
        }
        let (service, catalogue) = try service()
        #expect(catalogue.sites.map(\.name) == ["a", "a-2", "a-3", "a-3-2", "a-4", "b"])
        for (name, file) in [
            ("a", "a.webarc"), ("a-3", "a-3.webarc"), ("a-2", "A-2.webarc"), ("a-4", "A.webarc"),
            ("a-3-2", "a 3.webarc"),
            ("b", "B.webarc"),
        ] {
            #expect(try get(service, "http://\(name).localhost/").text == file)
        }
    }

    @Test func theStartPageShowsWhatArchivesSay() throws {
        try add("a.webarc", "a", ["title": "Zebras <&>", "language": "de", "description": "About \"zebras\""])
        try add("b.webarc", "b", ["title": "Ants", "language": "en"])
        try Data("damaged".utf8).write(to: folder.url.appendingPathComponent("c.webarc"))
        let (service, catalogue) = try service()
        waitUntilDescribed(catalogue)
        let page = get(service, "http://localhost:81/")
        let html = try page.text
        #expect(page.status == 200)
        #expect(html.contains("<a href=\"http://a.localhost:81/\">Zebras &lt;&amp;&gt;</a>"))
        #expect(html.contains("About &quot;zebras&quot;"))
        let (ants, zebras) = (try #require(html.range(of: "Ants")), try #require(html.range(of: "Zebras")))
        #expect(ants.lowerBound < zebras.lowerBound)
        #expect(html.contains("c</h2><p>This archive cannot be opened"))
        let german = try get(service, "http://localhost:81/?language=de").text
        #expect(german.contains("Zebras") && !german.contains("Ants"))
        #expect(get(service, "http://localhost/other").status == 404)
        #expect(get(service, "http://localhost/-/health").status == 200)
        #expect(get(service, "http://localhost/-/").status == 404)
        #expect(get(service, "http://a.localhost/-/").status == 200)
        #expect(try get(service, "http://a.explorer.localhost:81/-/").text.contains("Zebras"))
        let none = get(service, "http://explorer.localhost:81/-/")
        #expect(try none.status == 200 && none.text.contains("href=\"http://a.explorer.localhost:81/-/\""))
        let missing = get(service, "http://explorer.localhost:81/-/entries")
        #expect(try missing.status == 404 && missing.text.contains("href=\"http://localhost:81/\""))
        #expect(get(service, "http://a.explorer.localhost:81/x").field(.location) == "http://a.localhost:81/x")
    }

    /// The icon that a page links to counts if the archive has it, and the one that browsers try otherwise.
    @Test(arguments: [
        ("<link rel=\"shortcut ICON\" href=\"img/a.png?x=1&amp;y\">", "http://a.localhost:81/img/a.png?x=1&amp;y"),
        (
            "<link rel=icon href=none.png><link rel=icon href=/img/a.png?x=1&amp;y>",
            "http://a.localhost:81/img/a.png?x=1&amp;y"
        ),
        ("<link rel=icon href=https://other.example/b.png>", "http://a.localhost:81/favicon.ico"),
        ("<body><link rel=icon href=/img/a.png?x=1&amp;y>", "http://a.localhost:81/favicon.ico"),
    ])
    func theStartPageShowsIcons(head: String, icon: String) throws {
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        let page = "https://site.example/docs/../"
        try ReplaySample.add(page, "text/html", Array("<!doctype html><title>A</title>\(head)".utf8), writer)
        for url in [
            "https://site.example/img/a.png?x=1&y", "https://site.example/favicon.ico", "https://other.example/b.png",
        ] {
            try ReplaySample.add(url, "image/png", [1], writer)
        }
        try writer.setMetadata("mainPage", to: page)
        try writer.commit()
        let (service, catalogue) = try service()
        waitUntilDescribed(catalogue)
        #expect(try get(service, "http://localhost:81/").text.contains("<img src=\"\(icon)\""))
    }

    /// Browsers ask for icons of a list by themselves, and a redirect would lead them away from the server.
    @Test(arguments: [(302, "image/png"), (200, "text/html"), (404, "image/png"), (200, nil)] as [(Int, String?)])
    func anIconIsAnImageThatTheArchiveHas(_ status: Int, _ type: String?) throws {
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        let page = "https://site.example/"
        try ReplaySample.add(page, "text/html", Array("<title>A</title><link rel=icon href=/b.png>".utf8), writer)
        var headers: HeaderFields = ["Location": "https://other.example/b.png"]
        if let type { headers.append(HeaderField(name: "Content-Type", value: type)) }
        try writer.add(
            ArchiveRequest(url: "\(page)b.png"), response: ArchiveResponse(status: status, headers: headers),
            body: writer.addBody([1]))
        try writer.setMetadata("mainPage", to: page)
        try writer.commit()
        let (service, catalogue) = try service()
        waitUntilDescribed(catalogue)
        for list in ["http://localhost:81/", "http://explorer.localhost:81/-/"] {
            let html = try get(service, list).text
            #expect(html.contains(">A</a>") && !html.contains("<img"), "\(html)")
        }
    }

    @Test(arguments: [
        ("http://localhost:81/", "http://*.localhost:81"), ("http://explorer.localhost/-/", "http://*.localhost"),
        ("http://kiosk.lan/", "http://*.kiosk.lan"),
    ])
    func theStartPageShowsIconsOfItsOwnSitesAlone(_ page: String, _ source: String) throws {
        try add("a.webarc", "a")
        let service = try service(domain: "kiosk.lan").service
        let policy = try #require(get(service, page).field(.contentSecurityPolicy))
        let images = policy.split(separator: ";").first { $0.hasPrefix(" img-src ") }
        #expect(images == " img-src \(source)")
    }

    /// A host of an archive must not add directives to a policy.
    @Test(arguments: ["a;img-src", "a b", "[::1]", "*", "*.", "a,b", ""]) func aHostThatNoPolicyCanName(_ host: String)
    {
        #expect(StartPage.imageSource("http", host: host, port: ":81") == nil)
        #expect(StartPage.imageSource("http", host: "xn--a.Example", port: ":81") == "http://xn--a.Example:81")
    }

    /// Threads that end drop what waits for them.
    @Test func aSiteWhoseOpeningWasDroppedIsOpenedLater() throws {
        try add("a.webarc", "a")
        let site = CatalogueSite("a", folder.path("a.webarc"))
        site.open(ArchiveLibrary.Options(), on: CatalogueThreads { _ in })
        #expect(!site.isOpen)
        site.open(ArchiveLibrary.Options(), on: CatalogueThreads { work in work() })
        #expect(site.isOpen)
    }

    /// A client that found the archive closed requests that it be opened after another thread has opened it. Many sites open later, it is
    /// closed again.
    @Test(arguments: ["a.webarc", "none.webarc"]) func openingWhatIsOpenLeavesNothingBehind(file: String) throws {
        try add("a.webarc", "a")
        let site = CatalogueSite("a", folder.path(file))
        let isThere = file == "a.webarc"
        let begun = Mutex(0)
        let threads = CatalogueThreads { work in
            begun.withLock { $0 += 1 }
            work()
        }
        for _ in 0..<3 { site.open(ArchiveLibrary.Options(), on: threads) }
        #expect(begun.withLock { $0 } == 1)
        #expect(site.opening != nil && site.isOpen == isThere)
        // A failure is kept until its file changes.
        site.close()
        #expect((site.opening == nil) == isThere)
        site.open(ArchiveLibrary.Options(), on: threads)
        #expect(begun.withLock { $0 } == (isThere ? 2 : 1))
        #expect(site.opening != nil && site.isOpen == isThere)
    }

    /// A client that finds the archive being opened waits for that one opening, and for no other.
    @Test func clientsWaitForTheOpeningThatIsUnderWay() throws {
        try add("a.webarc", "a")
        let site = CatalogueSite("a", folder.path("a.webarc"))
        let waiting = Mutex<[CatalogueThreads.Work]>([])
        let threads = CatalogueThreads { work in waiting.withLock { $0.append(work) } }
        for _ in 0..<3 {
            site.open(ArchiveLibrary.Options(), on: threads)
            // Nothing is open yet that could be closed.
            site.close()
        }
        #expect(site.waitUntilOpen(milliseconds: 1) == nil)
        let works = waiting.withLock { $0 }
        #expect(works.count == 1)
        works.first?()
        #expect(site.waitUntilOpen(milliseconds: 1) != nil && site.isOpen)
    }

    /// An archive on a disk that does not respond: no event loop waits for it, and a client gets a response that suggests a later request.
    @Test func aSlowArchiveHoldsUpNoOther() throws {
        for name in ["a", "b"] { try add("\(name).webarc", name) }
        let waiting = Mutex<[CatalogueThreads.Work]>([])
        let isSlow = Mutex(true)
        let service = try service(
            threads: CatalogueThreads { work in
                if isSlow.withLock({ $0 }) { waiting.withLock { $0.append(work) } } else { work() }
            }
        ).service
        var request = ReplayRequest("http://a.localhost/")
        request.addressing = .mainPageOrigin
        #expect(service.respondQuickly(to: request, by: .archives) == nil)
        let told = service.respond(to: request, by: .archives)
        #expect(told.status == 503 && told.field(.retryAfter) == "1")
        isSlow.withLock { $0 = false }
        #expect(try get(service, "http://b.localhost/").text == "b")
        #expect(get(service, "http://a.localhost/").status == 503)
        for work in waiting.withLock({ $0 }) { work() }
        #expect(try service.respondQuickly(to: request, by: .archives)?.text == "a")
    }

    @Test func aDamagedArchiveHoldsUpNoOther() throws {
        try add("a.webarc", "a")
        try Data("damaged".utf8).write(to: folder.url.appendingPathComponent("b.webarc"))
        let service = try service().service
        #expect(get(service, "http://b.localhost/").failure?.code == .notAnArchive)
        #expect(try get(service, "http://a.localhost/").text == "a")
    }

    @Test func archivesComeChangeAndGo() throws {
        try add("a.webarc", "old")
        let (service, catalogue) = try service()
        #expect(try get(service, "http://a.localhost/").text == "old")
        try add("a.webarc", "new one")
        try add("b.webarc", "b")
        #expect(catalogue.rescan().isEmpty)
        #expect(try get(service, "http://a.localhost/").text == "new one")
        #expect(try get(service, "http://b.localhost/").text == "b")
        // An archive that does not verify is refused, and the server keeps the old one.
        try Data("damaged".utf8).write(to: folder.url.appendingPathComponent("a.webarc"), options: .atomic)
        #expect(catalogue.rescan().map(\.code) == [.notAnArchive])
        #expect(try get(service, "http://a.localhost/").text == "new one")
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("b.webarc"))
        #expect(catalogue.rescan().count == 1)
        #expect(get(service, "http://b.localhost/").status == 404)
        // A browser that has a service worker of the site looks for its script.
        var request = ReplayRequest("http://b.localhost/sw.js", headerFields: [.serviceWorker: "script"])
        request.addressing = .mainPageOrigin
        #expect(try service.respond(to: request, by: .archives).text.contains("registration.unregister()"))
    }

    /// A refused file is looked at once it has settled, and not again until it changes.
    @Test func aRefusedFileIsTriedOnce() throws {
        try add("a.webarc", "old")
        let (service, catalogue) = try service()
        #expect(try get(service, "http://a.localhost/").text == "old")
        for text in ["damaged", "damaged otherwise"] {
            try Data(text.utf8).write(to: folder.url.appendingPathComponent("a.webarc"), options: .atomic)
            let refused = (0..<5).map { _ in catalogue.rescan(isAsked: false).count }
            #expect(refused == [0, 1, 0, 0, 0])
        }
        #expect(catalogue.rescan().count == 1)
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("a.webarc"))
        try add("a.webarc", "new")
        catalogue.rescan(isAsked: false)
        #expect(catalogue.rescan(isAsked: false).isEmpty)
        #expect(try get(service, "http://a.localhost/").text == "new")
    }

    /// A damaged file that has become whole is opened.
    @Test func aFileThatIsMended() throws {
        try Data("damaged".utf8).write(to: folder.url.appendingPathComponent("a.webarc"))
        let (service, catalogue) = try service()
        #expect(get(service, "http://a.localhost/").status == 500)
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("a.webarc"))
        try add("a.webarc", "whole")
        catalogue.rescan()
        #expect(try get(service, "http://a.localhost/").text == "whole")
    }

    /// A fault that is not the file's own may be over: a client's request tries again, but not each one.
    @Test(arguments: [Duration.zero, .seconds(100_000)]) func aPassingFaultIsTriedAgain(interval: Duration) throws {
        let path = folder.path("a.webarc")
        try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: path.string)
        let site = CatalogueSite("a", path, retryInterval: interval)
        let opened = Mutex(0)
        let threads = CatalogueThreads { work in
            opened.withLock { $0 += 1 }
            work()
        }
        for _ in 0..<3 { site.open(ArchiveLibrary.Options(), on: threads) }
        #expect(opened.withLock { $0 } == (interval == .zero ? 3 : 1))
        guard case .failed(let error)? = site.opening else { throw Unexpected("an opening") }
        #expect(error.code == .io && (site.lastingOpening == nil) == (interval == .zero))
    }

    /// A fault of the file is not checked again automatically, but when the operator requests it.
    @Test func aDamagedFileIsTriedAgainWhenThatIsAskedFor() throws {
        try Data("damaged".utf8).write(to: folder.url.appendingPathComponent("a.webarc"))
        let site = CatalogueSite("a", folder.path("a.webarc"), retryInterval: .zero)
        let opened = Mutex(0)
        let threads = CatalogueThreads { work in
            opened.withLock { $0 += 1 }
            work()
        }
        site.describe(trust: nil)
        for isAsked in [false, false, true] {
            site.open(ArchiveLibrary.Options(), on: threads)
            #expect(opened.withLock { $0 } == 1 && site.lastingOpening != nil && !site.needsDescription)
            #expect(site.reload(isAsked: isAsked) == nil)
        }
        #expect(site.needsDescription)
        site.open(ArchiveLibrary.Options(), on: threads)
        #expect(opened.withLock { $0 } == 2)
    }

    /// A list names an archive again once the system lets it be read.
    @Test func aDescriptionThatFailedForAPassingReasonIsDueAgain() throws {
        let path = folder.path("a.webarc")
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        let site = CatalogueSite("a", path)
        site.describe(trust: nil)
        #expect(site.description?.failure?.code == .io && site.needsDescription)
    }

    @Test func fewStayOpen() throws {
        for number in 0..<40 { try add("\(number).webarc", "\(number)") }
        let (service, catalogue) = try service()
        for _ in 0..<2 {
            for number in 0..<40 { #expect(try get(service, "http://\(number).localhost/").text == "\(number)") }
        }
        #expect(catalogue.sites.filter(\.isOpen).count == 32)
    }

    /// A folder into which archives will come, and one that is none of archives.
    @Test func folderWithoutArchives() throws {
        let (service, catalogue) = try service()
        #expect(try get(service, "http://localhost/").text.contains("No archives yet"))
        try add("a.webarc", "a")
        catalogue.rescan()
        #expect(try get(service, "http://a.localhost/").text == "a")
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("a.webarc"))
        try Data("page".utf8).write(to: folder.url.appendingPathComponent("index.html"))
        #expect(throws: ArchiveError(.notFound, "")) { try ArchiveCatalogue([FilePath(folder.url.path)]) }
    }

    @Test func anArchiveWithoutATitleHasThatOfItsMainPage() throws {
        try add("a.webarc", "<!doctype html><title>All about &lt;Zebras&gt;</title>")
        let (service, catalogue) = try service()
        waitUntilDescribed(catalogue)
        #expect(try get(service, "http://localhost/").text.contains(">All about &lt;Zebras&gt;</a>"))
    }

    @Test func whatIsNotThere() throws {
        #expect(throws: ArchiveError(.io, "")) { try ArchiveCatalogue([folder.path("none.webarc")]) }
    }
}
