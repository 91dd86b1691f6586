// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveRecording
import WebArchiveServer
import WebarcCommandLine

struct RecordCommand: ParsableCommand {
    static let configuration = RecordArguments.command

    @OptionGroup var arguments: RecordArguments

    func run() throws {
        let folder = arguments.authority.map { FilePath($0) } ?? StateFolder.standard.appending("recording")
        let authority = try DeviceAuthority.forRecording(
            in: folder, device: ProcessInfo.processInfo.hostName, now: Date())
        let recording = try RunningRecording(FilePath(arguments.output), options(authority))
        let host = arguments.host.contains(":") ? "[\(arguments.host)]" : arguments.host
        let proxy = recording.proxy
        Diagnostics.say(
            "Recording into \(PrintableText.escaped(arguments.output)) what goes through http://\(host):\(proxy.port) (press Ctrl-C to stop)"
        )
        let certificate = folder.appending(DeviceAuthority.certificateName).string
        let pin = try authority.publicKeyPin
        Diagnostics.say(
            "webarc: for https, trust \(PrintableText.escaped(certificate)) in a test profile only, or start Chromium with --ignore-certificate-errors-spki-list=\(pin)"
        )
        if arguments.json.isOn {
            try StandardOutput.shared.json([
                "event": "start", "port": .integer(Int64(proxy.port)), "certificate": .string(certificate),
                "pin": .string(pin),
            ])
            try StandardOutput.shared.flush()
        }
        try recording.waitForSignal()
        try report(proxy.counts)
    }

    private func options(_ authority: DeviceAuthority) throws -> RecordingProxy.Options {
        var options = RecordingProxy.Options()
        options.host = arguments.host
        options.port = arguments.port
        options.authority = authority
        options.trustRoots = arguments.servers.roots
        options.allowsPrivateTargets = arguments.allowPrivate
        options.keepsCredentials = arguments.keepCredentials
        options.keepsOriginals = arguments.exact
        options.maximumBodyLength = UInt64(arguments.maxSize.bytes)
        if let length = arguments.maxArchive { options.maximumArchiveLength = UInt64(length.bytes) }
        options.maximumConnections = RunningRecording.connections(atMost: arguments.maxConnections)
        options.threads = arguments.threads.count
        if arguments.json.isOn { options.onExchange = Self.show }
        return options
    }

    /// Prints an exchange as a line of JSON.
    @Sendable private static func show(_ exchange: ProxiedExchange) {
        let digest = exchange.bodyDigest.map { JSONValue.string($0.description) } ?? .null
        try? StandardOutput.shared.json([
            "event": "exchange", "method": .string(exchange.method), "url": .string(exchange.url),
            "status": exchange.status.map { .integer(Int64($0)) } ?? .null,
            "length": .integer(Int64(clamping: exchange.bodyLength)), "md5": digest,
            "time": .string(Timestamp.text(exchange.time)),
            "truncated": exchange.truncation.map { .string($0) } ?? .null,
            "failure": exchange.failure.map { .string($0) } ?? .null,
        ])
        try? StandardOutput.shared.flush()
    }

    /// Prints the counts at the end.
    ///
    /// - Throws: the exit status if exchanges were not recorded.
    private func report(_ counts: RecordingCounts) throws {
        if arguments.json.isOn {
            try StandardOutput.shared.json([
                "event": "end", "exchanges": .integer(Int64(counts.exchanges)),
                "bytes": .integer(Int64(clamping: counts.bytes)), "truncated": .integer(Int64(counts.truncated)),
                "failures": .integer(Int64(counts.failures)), "dropped": .integer(Int64(counts.dropped)),
            ])
        }
        var text =
            "webarc: recorded \(SizeFormat.count(counts.exchanges, "exchange")) with \(SizeFormat.bytes(counts.bytes))"
        if counts.truncated > 0 { text += ", \(SizeFormat.count(counts.truncated)) truncated" }
        if counts.failures > 0 { text += "; \(SizeFormat.count(counts.failures, "request")) without a response" }
        if counts.dropped > 0 { text += "; \(SizeFormat.count(counts.dropped, "exchange")) not recorded" }
        Diagnostics.say(text)
        if counts.dropped > 0 { throw ExitStatus.damaged.exitCode }
    }
}
