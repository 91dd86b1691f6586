// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct ArchiveTimeTests {
    @Test func zeroIsUnknown() {
        #expect(ArchiveTime(nanoseconds: 0) == nil)
        #expect(ArchiveTime(seconds: 0) == nil)
        #expect(ArchiveTime(seconds: -1, nanoseconds: 1_000_000_000) == nil)
        #expect(ArchiveTime(nanoseconds: -1)?.nanoseconds == -1)
    }

    @Test func seconds() {
        #expect(ArchiveTime(seconds: 5)?.nanoseconds == 5_000_000_000)
        #expect(ArchiveTime(seconds: -5, nanoseconds: 7)?.nanoseconds == -4_999_999_993)
        #expect(ArchiveTime(seconds: 9_223_372_036, nanoseconds: 854_775_807)?.nanoseconds == .max)
        #expect(ArchiveTime(seconds: 9_223_372_036, nanoseconds: 854_775_808) == nil)
        #expect(ArchiveTime(seconds: 9_223_372_037) == nil)
        #expect(ArchiveTime(seconds: .max) == nil && ArchiveTime(seconds: .min) == nil)
        #expect(ArchiveTime(seconds: -9_223_372_036)?.nanoseconds == -9_223_372_036_000_000_000)
    }

    /// The earliest moments that 64 bits hold begin in a second that they do not hold.
    @Test func theFirstSecond() {
        #expect(ArchiveTime(seconds: -9_223_372_037, nanoseconds: 145_224_192)?.nanoseconds == .min)
        #expect(ArchiveTime(seconds: -9_223_372_037, nanoseconds: 145_224_191) == nil)
        #expect(
            ArchiveTime(seconds: 9_223_372_037, nanoseconds: -1_000_000_000)?.nanoseconds == 9_223_372_036_000_000_000)
    }

    @Test func order() throws {
        let times = [Int64.min, -1, 1, 2, .max].compactMap { ArchiveTime(nanoseconds: $0) }
        #expect(times.count == 5)
        for (left, right) in zip(times, times.dropFirst()) { #expect(left < right && !(right < left)) }
    }
}
