// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

@Suite("Authority for recording")
struct RecordingAuthorityTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test func isUsedAgainUntilItEnds() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ca")
        let first = try DeviceAuthority.forRecording(in: path, device: "a", now: Self.now)
        #expect(first.notValidAfter.timeIntervalSince(Self.now) == 30 * 86_400)
        let second = try DeviceAuthority.forRecording(in: path, device: "a", now: Self.now + 28 * 86_400)
        #expect(try first.publicKeyPin == second.publicKeyPin)
        let third = try DeviceAuthority.forRecording(in: path, device: "a", now: Self.now + 29.5 * 86_400)
        #expect(try first.publicKeyPin != third.publicKeyPin)
    }

    /// Neither kind is taken for the other one.
    @Test func staysApartFromTheKiosks() throws {
        let folder = try TemporaryFolder()
        _ = try DeviceAuthority.forRecording(in: folder.path("a"), device: "a", now: Self.now)
        #expect(throws: ArchiveError.self) { try DeviceAuthority(reading: folder.path("a")) }
        try DeviceAuthority(hosts: ["a.example"], device: "a", now: Self.now).write(to: folder.path("b"))
        #expect(throws: ArchiveError.self) {
            try DeviceAuthority.forRecording(in: folder.path("b"), device: "a", now: Self.now)
        }
    }
}
