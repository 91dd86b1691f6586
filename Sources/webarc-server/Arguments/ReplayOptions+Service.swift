// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchiveServer
import WebarcCommandLine

extension ReplayOptions {
    func library(
        _ files: [String], standIns: [FilePath: FilePath] = [:], requiresMainPage: Bool = false,
        state: FilePath = StateFolder.standard
    ) throws(ArchiveError) -> ArchiveLibrary {
        var options = try libraryOptions(state)
        options.requiresMainPage = requiresMainPage
        return try ArchiveLibrary(files.map { FilePath($0) }, standIns: standIns, options: options)
    }

    func catalogue(_ sources: [String]) throws(ArchiveError) -> ArchiveCatalogue {
        try ArchiveCatalogue(sources.map { FilePath($0) }, options: libraryOptions(StateFolder.standard))
    }

    /// Returns the keys that must have signed the served archives; nil without any.
    ///
    /// - Parameter state: the folder of the sequence record, unless an option names a different file.
    func requiredTrust(_ state: FilePath) throws(ArchiveError) -> ArchiveTrust? {
        try trust.trust(sequences: trust.requireKey.isEmpty ? nil : sequenceRecord.record(in: state))
    }

    private func libraryOptions(_ state: FilePath) throws(ArchiveError) -> ArchiveLibrary.Options {
        var options = ArchiveLibrary.Options()
        options.trust = try requiredTrust(state)
        options.cacheCapacity = cache.bytes
        options.threads = threads.count
        options.matching.rules = rules.rules
        options.matching.ignoredParameters = ignoreParameter
        options.matching.country = country.value
        options.time = at?.time
        return options
    }

    func log() throws(ArchiveError) -> AccessLog? {
        switch accessLog {
        case "none": return nil
        case "-": return AccessLog(.standardOutput)
        default:
            // Its lines have what clients send.
            let path = FilePath(accessLog)
            let place = try FilePlace(
                following: path, isNew: FileStatus(of: path, followsLinks: false) == nil, stopsAtDescriptors: true)
            do {
                // A link such as /dev/stdout can lead to a pipe without a name: only the system can follow it.
                let file =
                    place.folder.isOfDescriptors
                    ? try place.openDescriptorToAppend()
                    : try place.open(
                        .writeOnly, options: [.append, .create], permissions: [.ownerReadWrite, .groupRead])
                return AccessLog(try file.waitingForPipes())
            } catch {
                throw ArchiveError(.io, "cannot write the log", path: accessLog, cause: error)
            }
        }
    }

    var service: ReplayService.Options {
        var options = ReplayService.Options()
        options.hasServerPages = !noOwnPages
        options.coding = ReplayService.Options.Coding(rawValue: compress.rawValue) ?? options.coding
        options.ownNames = Set(name.map { $0.asciiLowercased })
        return options
    }
}
