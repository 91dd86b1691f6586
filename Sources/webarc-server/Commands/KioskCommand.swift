// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchiveBrowser
import WebArchiveKiosk
import WebArchiveReplay
import WebArchiveServer
import WebarcCommandLine

struct KioskCommand: ParsableCommand {
    static let configuration = KioskArguments.command

    @OptionGroup var arguments: KioskArguments

    func run() throws {
        let logger = DiagnosticsLogHandler.logger
        let browser =
            try arguments.browser.map { name throws(ArchiveError) in try InstalledBrowser(name) }
            ?? InstalledBrowser.find()
        if !arguments.headless { try browser.checkDisplay(options: arguments.browserOption) }
        let trust = try arguments.replay.requiredTrust(stateFolder)
        let kept =
            arguments.noCopy
            ? nil : LastGoodCopies(folder: stateFolder, threads: arguments.replay.threads.count, trust: trust)
        let updates = try RunningUpdates(
            of: arguments.file[0], arguments.updates, trust: trust, threads: arguments.replay.threads.count,
            standIn: kept?.place(of: FilePath(arguments.file[0])))
        let files = try ArchiveCatalogue.archives(in: arguments.file.map { FilePath($0) }).map(\.string)
        let (standIns, verified) = try choose(kept, files)
        let library = try arguments.replay.library(
            files, standIns: standIns, requiresMainPage: true, state: stateFolder)
        library.forgetStamps(except: verified)
        let usage = KioskUsage(file: usageFile, logger: logger)
        let kiosk = try Kiosk(browser, options: options, usage: usage, logger: logger)
        var service = arguments.replay.service
        service.usage = ProgramUsage(
            metrics: { usage.metrics + (updates?.metrics ?? []) }, json: { usage.json })
        service.hasStartPage = arguments.startPage
        service.ignoresLinksOutside = arguments.outside == .ignore
        service.onNavigation = { navigation in
            kiosk.noteNavigation(isMainPage: navigation.isMainPage)
            usage.note(navigation)
        }
        let running = try RunningReplay(
            library, arguments.replay, host: "127.0.0.1", port: arguments.port, authority: kiosk.authority,
            service: service,
            onChange: { changed in
                Self.keep(library.openStamps(of: changed), in: kept)
                kiosk.archiveChanged()
            })
        let server = running.server
        let page =
            arguments.startPage ? "a list of \(files.count) archives" : library.responder.site.mainPage.description
        Diagnostics.say("Showing \(page) in \(browser.command[0]) (press Ctrl-C to stop)")
        updates?.start()
        let thread = KioskThread { kiosk.run(on: server) }
        running.waitForSignal {
            kiosk.stop()
            thread.wait()
        }
        usage.flush()
    }

    private var options: Kiosk.Options {
        var options = Kiosk.Options()
        options.display = arguments.headless ? .headless : arguments.windowed ? .windowed : .fullScreen
        options.idle = arguments.idle == 0 ? nil : .seconds(arguments.idle)
        options.browserOptions = arguments.browserOption
        options.allowsPrinting = arguments.printing
        options.hasBar = arguments.bar
        if let blank = arguments.blank { options.blanking = DaySchedule(blank) }
        if let memory = arguments.memory { options.memoryLimit = memory << 20 }
        return options
    }

    private var stateFolder: FilePath {
        arguments.state.map { FilePath($0) } ?? StateFolder.standard.appending("kiosk")
    }

    /// The usage file; nil for none.
    private var usageFile: FilePath? {
        switch arguments.usage {
        case "none": nil
        case let file?: FilePath(file)
        case nil: stateFolder.appending("usage.csv")
        }
    }

    /// Verifies the archives, keeps copies of the good ones, and returns the copies to open instead of the others.
    private func choose(
        _ kept: LastGoodCopies?, _ files: [String]
    ) throws(ArchiveError) -> (standIns: [FilePath: FilePath], verified: [FilePath: FileIdentity]?) {
        var (standIns, verified): ([FilePath: FilePath], [FilePath: FileIdentity]) = ([:], [:])
        guard let kept else { return ([:], nil) }
        for path in files.map({ FilePath($0) }) {
            switch try kept.choose(path) {
            case .archive(let identity):
                verified[path] = identity
                Self.keep([path: identity], in: kept)
            case .copy(let copy, let error):
                Diagnostics.warn("\(Diagnostics.text(of: error, withAdvice: false)); showing the last good archive")
                standIns[path] = copy
            }
        }
        return (standIns, verified)
    }

    /// Keeps copies of the archives; a kiosk continues without a copy.
    private static func keep(_ verified: [FilePath: FileIdentity?], in kept: LastGoodCopies?) {
        guard let kept else { return }
        for (path, identity) in verified {
            do throws(ArchiveError) {
                try kept.keep(path, verified: identity)
            } catch {
                Diagnostics.warn("cannot keep a copy of the archive: \(Diagnostics.text(of: error))")
            }
        }
    }
}
