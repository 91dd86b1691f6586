// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveUpdates

@Suite struct OtherCopyTests {
    /// Each byte of the file begins like the probes, which would all be compared there. A usual number of comparisons finds the part behind.
    @Test(arguments: [(1, true), (8, false)])
    func probesThatBeginAlike(_ count: Int, _ isFound: Bool) throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator.printed()
        let part = random.bytes(OtherCopy.probeLength)
        let length = 1 << 18
        let copy = try OtherCopy(folder.write("copy", [UInt8](repeating: 0, count: length) + part))
        let alike = (1...count).map { number in
            var bytes = [UInt8](repeating: 0, count: OtherCopy.probeLength)
            bytes[8] = UInt8(number)
            return (offset: UInt64(number), bytes: bytes)
        }
        copy.align(alike + [(offset: 5_000_000, bytes: part)])
        #expect(copy.shifts == (isFound ? [0, Int64(5_000_000 - length)] : [0]))
    }
}
