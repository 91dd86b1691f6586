// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveReplay
import WebArchiveServer
import WebarcCommandLine

struct AuthorityCommand: ParsableCommand {
    static let configuration = AuthorityArguments.command([Create.self, Show.self])

    struct Create: ParsableCommand {
        static let configuration = CreateAuthorityArguments.command

        @OptionGroup var arguments: CreateAuthorityArguments

        func run() throws {
            var named = Set<String>()
            for name in arguments.host {
                guard let url = try? CanonicalURL("https://\(name)/"), let host = url.host,
                    host.elementsEqual(name.asciiLowercased.utf8)
                else {
                    throw ValidationError("--host takes a host name, not '\(name)'")
                }
                named.insert(String(decoding: host, as: UTF8.self))
            }
            if let fault = try CertificateHosts(named).refused.first {
                throw ValidationError(Diagnostics.text(of: fault, withAdvice: false))
            }
            var archived = Set<String>()
            for name in arguments.file {
                archived.formUnion(try ReplaySite([ArchiveReader(warningAboutTornTail: FilePath(name))]).hosts())
            }
            let hosts: CertificateHosts
            do throws(ArchiveError) {
                hosts = try CertificateHosts(named.union(archived))
            } catch {
                throw error.at(path: arguments.file.first ?? "")
            }
            for fault in hosts.refused {
                Diagnostics.say("webarc: left out: \(Diagnostics.text(of: fault, withAdvice: false))")
            }
            let names = hosts.accepted.map(\.text)
            guard !names.isEmpty else {
                throw ArchiveError(
                    .invalidArgument, "no http or https host to certify; give one with --host",
                    path: arguments.file.first)
            }
            let made = try DeviceAuthority(hosts: names, device: ProcessInfo.processInfo.hostName, now: Date())
            try made.write(to: arguments.authority.folder, replacing: arguments.force)
            let path = arguments.authority.folder.appending(DeviceAuthority.certificateName)
            try StandardOutput.shared.line(path.string)
            Diagnostics.say(
                "webarc: trust this certificate in the browsers that use the proxy; for \(names.joined(separator: ", "))"
            )
        }
    }

    struct Show: ParsableCommand {
        static let configuration = ShowAuthorityArguments.command

        @OptionGroup var arguments: ShowAuthorityArguments

        func run() throws {
            let found = try arguments.authority.read(for: ["FILE"])
            let path = arguments.authority.folder.appending(DeviceAuthority.certificateName).string
            let end = ArchiveTime(seconds: Int64(found.notValidAfter.timeIntervalSince1970)).map(Timestamp.text) ?? ""
            if arguments.json.isOn {
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
