// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveFormat

@Suite struct ArchiveErrorTests {
    private struct Cause: Error, CustomStringConvertible { let description = "no luck" }

    @Test func description() {
        let bare = ArchiveError(.io, "cannot read")
        #expect(bare.description == "cannot read")
        let full = ArchiveError(.io, "cannot read", path: "a.webarc", offset: 42, cause: Cause())
        #expect(full.description == "a.webarc: cannot read (byte 42): no luck")
        #expect(full.code.description == "io")
        #expect(full.cause is Cause)
    }

    @Test func thePathThatIsKnownFirstStays() {
        let error = ArchiveError.damaged("bad", offset: 7)
        #expect(error.code == .damaged && error.path == nil)
        let placed = error.at(path: "a")
        #expect(placed.path == "a" && placed.offset == 7 && placed.message == "bad" && placed.code == .damaged)
        #expect(placed.at(path: "b").path == "a")
    }

    @Test func equalityIsThatOfCodes() {
        #expect(ArchiveError(.io, "one", offset: 1) == ArchiveError(.io, "two", path: "x"))
        #expect(ArchiveError(.io, "one") != ArchiveError(.damaged, "one"))
    }
}
