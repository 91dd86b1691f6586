// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchive
import WebArchiveReplay
import WebarcCommandLine

struct AuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Make and show the certificate authority with which this device speaks for archived hosts.",
        discussion: """
            A browser trusts https:// pages from an archive if it trusts this authority. It can speak for the hosts of the archives it was made for, \
            and for no others. Left out are names of one label other than localhost, and public suffixes such as co.uk. A name stands for itself, \
            and for all names below it only where one of those is a host as well; the server makes certificates for the hosts alone. Its key stays in a file that its owner alone can read.
            """,
        subcommands: [Create.self, Show.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make the authority, for the hosts of some archives.",
            discussion: """
                EXAMPLES:
                  webarc ca create site.webarc
                  webarc ca create *.webarc --host example.org --force

                \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError]))
                """)

        @Argument(help: "The archives whose hosts it is for.", completion: .file(extensions: ["webarc"]))
        var file: [String] = []

        @Option(help: ArgumentHelp("A host to add. May be given several times.", valueName: "name"))
        var host: [String] = []

        @Flag(help: "Replace the authority that is there; browsers have to trust the new one.")
        var force = false

        @OptionGroup var authority: AuthorityOption

        func validate() throws {
            if file.isEmpty, host.isEmpty { throw ValidationError("Name the archives, or hosts with --host.") }
        }

        func run() throws {
            var named = Set<String>()
            for name in host {
                guard let url = try? CanonicalURL("https://\(name)/"), let host = url.host,
                    host.elementsEqual(name.lowercased().utf8)
                else {
                    throw ValidationError("--host takes the name of a host, and '\(name)' is none")
                }
                named.insert(String(decoding: host, as: UTF8.self))
            }
            if let fault = CertificateHosts(named).refused.first { throw ValidationError(fault.message) }
            var archived = Set<String>()
            for name in file {
                archived.formUnion(try ReplaySite([ArchiveReader(telling: FilePath(name))]).hosts())
            }
            let hosts = CertificateHosts(named.union(archived))
            for fault in hosts.refused { Diagnostics.say("webarc: left out: \(fault.message)") }
            let names = hosts.accepted.map(\.text)
            guard !names.isEmpty else {
                throw ArchiveError(
                    .invalidArgument, "no host of http or https to speak for; name one with --host", path: file.first)
            }
            let made = try DeviceAuthority(hosts: names, device: ProcessInfo.processInfo.hostName, now: Date())
            try made.write(to: authority.folder, replacing: force)
            let path = authority.folder.appending(DeviceAuthority.certificateName)
            try StandardOutput.shared.line(path.string)
            Diagnostics.say(
                "webarc: trust this certificate in the browsers that use the proxy; for \(names.joined(separator: ", "))"
            )
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Tell what the authority is for, and how to know it.",
            discussion: ExitStatus.explanation(of: [.done, .usage, .ioError]))

        @OptionGroup var authority: AuthorityOption
        @OptionGroup var json: JSONOption

        func run() throws {
            let found = try authority.read(for: ["FILE"])
            let path = authority.folder.appending(DeviceAuthority.certificateName).string
            let end = ArchiveTime(seconds: Int64(found.notValidAfter.timeIntervalSince1970)).map(Timestamp.text) ?? ""
            if json.isOn {
                try StandardOutput.shared.json([
                    "certificate": .string(path), "hosts": .array(found.hosts.map { .string($0) }),
                    "fingerprint": .string(found.fingerprint), "pin": .string(found.publicKeyPin),
                    "notAfter": .string(end),
                ])
                return
            }
            try StandardOutput.shared.line("certificate  \(path)")
            try StandardOutput.shared.line("hosts        \(found.hosts.joined(separator: ", "))")
            try StandardOutput.shared.line("SHA-256      \(found.fingerprint)")
            try StandardOutput.shared.line("key pin      \(found.publicKeyPin)")
            try StandardOutput.shared.line("valid until  \(end)")
        }
    }
}
