// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive
import WebArchiveURLProtocol

@Suite struct LocalizedErrorTests {
    @Test func errorsAreTextsForFoundation() {
        let error: any Error = ArchiveError(
            .alreadyExists, "the file already exists", path: "out/a", offset: 7, recovery: .overwrite)
        let bridged = error as NSError
        #expect(bridged.localizedDescription == "out/a: the file already exists (byte 7)")
        #expect(bridged.localizedFailureReason == "the file already exists")
        #expect(bridged.localizedRecoverySuggestion == "Allow existing files to be replaced.")
        #expect((ArchiveError(.io, "cannot read") as NSError).localizedRecoverySuggestion == nil)
    }

    @Test func everyWayOutHasASentence() throws {
        let names = try RecoveryNames.all()
        #expect(names.contains("leaveOut") && names.contains("packFirst"))
        for name in names {
            let error = ArchiveError(.io, "cannot read", recovery: ArchiveError.Recovery(rawValue: name))
            let sentence = try #require((error as NSError).localizedRecoverySuggestion, "\(name)")
            #expect(sentence.first?.isUppercase == true && sentence.last == ".", "\(name)")
        }
        let unknown = ArchiveError(.io, "cannot read", recovery: ArchiveError.Recovery(rawValue: "ofALaterVersion"))
        #expect((unknown as NSError).localizedRecoverySuggestion == nil)
    }
}
