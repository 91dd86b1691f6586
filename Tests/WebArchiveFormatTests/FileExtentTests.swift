// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct FileExtentTests {
    private static let edges: [UInt64] = [
        0, 1, 2, 99, 100, 101, 1 << 48, .max / 2, .max / 2 + 1, .max - 1, .max,
    ]

    /// Every combination of edges, against the same rule in numbers too wide to overflow.
    @Test func staysWithinItsLimit() throws {
        for offset in Self.edges {
            for length in Self.edges {
                for limit in Self.edges {
                    let fits = UInt128(offset) + UInt128(length) <= UInt128(limit)
                    if fits {
                        let extent = try FileExtent(offset: offset, length: length, within: limit)
                        #expect(extent.offset == offset && extent.length == length && extent.end == offset + length)
                    } else {
                        let found = failure { _ = try FileExtent(offset: offset, length: length, within: limit) }
                        #expect(found == Failure(.damaged, at: offset), "\(offset) + \(length) in \(limit)")
                    }
                }
            }
        }
    }

    @Test func partsStayInside() throws {
        let whole = try FileExtent(offset: 50, length: 100, within: 1000)
        for offset in Self.edges {
            for length in Self.edges {
                if UInt128(offset) + UInt128(length) <= 100 {
                    let part = try whole.part(offset: offset, length: length)
                    #expect(part.offset == 50 + offset && part.length == length)
                } else {
                    #expect(archiveError { _ = try whole.part(offset: offset, length: length) }?.code == .damaged)
                }
            }
        }
    }

    @Test func partsAtTheEndOfTheNumbers() throws {
        let whole = try FileExtent(offset: .max - 10, length: 10, within: .max)
        #expect(try whole.part(offset: 10, length: 0).end == .max)
        #expect(archiveError { _ = try whole.part(offset: 10, length: 1) }?.code == .damaged)
        #expect(archiveError { _ = try whole.part(offset: .max, length: .max) }?.code == .damaged)
    }
}
