// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import SystemPackage
package import WebArchive
import X509

/// The authority of a recording proxy, which can certify every host: it is valid for a short time, and in a folder of its own.
extension DeviceAuthority {
    /// The time for which an authority for recording is valid, in seconds: 30 days.
    private static let recordingLifetime: TimeInterval = 30 * 86_400
    /// The minimum rest of that time for which it is used again: a day.
    private static let minimumRest: TimeInterval = 86_400

    /// Creates an authority for recording, in memory: valid for 30 days, and without name constraints, since the hosts are not known.
    ///
    /// - Throws: errors of the library of certificates.
    package init(recordingOn device: String, now: Date) throws {
        try self.init(
            named: "webarc record on \(device)", constraints: nil, lifetime: Self.recordingLifetime, now: now)
    }

    /// Whether it has the validity and the lack of constraints of an authority for recording.
    private var isForRecording: Bool {
        let span = certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore)
        // The validity begins a day before.
        return speaksForAll && span <= Self.recordingLifetime + 86_400 + 1
    }

    /// Returns the authority for recording of a folder, and makes it if there is none, or the present one ends within a day.
    ///
    /// An authority of another kind stays in its folder, and is refused.
    ///
    /// - Parameters:
    ///   - folder: a folder that belongs to this user, and that no others may write to; it is created if it is missing.
    ///   - device: the name of the device, which the certificate shows.
    ///   - now: the time.
    /// - Throws: `invalidArgument` for a folder with another authority or of another user, and errors of reading and writing.
    package static func forRecording(
        in folder: FilePath, device: String, now: Date
    ) throws(ArchiveError) -> DeviceAuthority {
        var isOld = false
        do throws(ArchiveError) {
            let found = try DeviceAuthority(reading: folder) { $0.isForRecording }
            if found.notValidAfter.timeIntervalSince(now) > minimumRest { return found }
            isOld = true
        } catch {
            guard error.code == .notFound else { throw error }
        }
        let made: DeviceAuthority
        do {
            made = try DeviceAuthority(recordingOn: device, now: now)
        } catch {
            throw ArchiveError(.invalidArgument, "cannot make a certificate authority", cause: error)
        }
        try made.write(to: folder, replacing: isOld)
        return made
    }
}
