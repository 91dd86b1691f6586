// SPDX-License-Identifier: Apache-2.0

import NIOCore
import SystemPackage
import Testing
import WebArchive

@testable import WebArchiveServer

@Suite struct ReplayServerListeningTests {
    /// The recovery is that of the fault, since what helps with files does not help with ports.
    @Test func waysOut() {
        let cases: [(Errno, Int, ArchiveError.Recovery?)] = [
            (.permissionDenied, 80, .unprivilegedPort), (.permissionDenied, 8080, .otherPort),
            (.addressInUse, 80, .otherPort), (.addressNotAvailable, 8080, .ownAddress), (.tooManyOpenFiles, 80, nil),
        ]
        for (cause, port, recovery) in cases {
            let system = IOError(errnoCode: cause.rawValue, reason: "bind")
            let error = ReplayServer.listeningError(host: "h", port: port, system)
            #expect(error.code == .io && error.cause as? Errno == cause)
            #expect(error.message == "cannot listen on h, port \(port)" && error.recovery == recovery)
        }
    }
}
