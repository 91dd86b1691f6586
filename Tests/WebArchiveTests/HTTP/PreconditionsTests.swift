// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@Suite struct PreconditionsTests {
    private static let second: Int64 = 1_000_000_000
    /// 784111777 is the second that RFC 9110 section 5.6.7 writes in three ways.
    private let conditions = Preconditions(entityTag: "\"xyzzy\"", modified: 784_111_777 * second)

    private func evaluate(_ fields: [Preconditions.Field: String]) -> Preconditions.Result {
        conditions.evaluate { fields[$0] }
    }

    /// RFC 9110 sections 13.1.1 and 13.1.2, and their examples.
    @Test func entityTags() {
        #expect(evaluate([:]) == .proceed)
        #expect(evaluate([.ifMatch: "\"xyzzy\""]) == .proceed)
        #expect(evaluate([.ifMatch: "\"xyzzy\", \"r2d2xxxx\", \"c3piozzzz\""]) == .proceed)
        #expect(evaluate([.ifMatch: "\"c3piozzzz\""]) == .failed)
        #expect(evaluate([.ifNoneMatch: "W/\"xyzzy\""]) == .notModified)
        #expect(evaluate([.ifNoneMatch: "W/\"r2d2xxxx\", \"xyzzy\""]) == .notModified)
        #expect(evaluate([.ifNoneMatch: "\"r2d2xxxx\""]) == .proceed)
        #expect(evaluate([.ifNoneMatch: " * "]) == .notModified)
    }

    /// The table of RFC 9110 section 8.8.3.2.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
        ("\"1\"", "\"1\"", true, true),
    ])
    func comparisons(_ own: String, _ given: String, isStrong: Bool, isWeak: Bool) {
        for (own, given) in [(own, given), (given, own)] {
            let conditions = Preconditions(entityTag: own, modified: nil)
            #expect((conditions.evaluate { $0 == .ifMatch ? given : nil } == .proceed) == isStrong)
            #expect((conditions.evaluate { $0 == .ifNoneMatch ? given : nil } == .notModified) == isWeak)
        }
    }

    /// The order of RFC 9110 section 13.2.2: a tag counts, a date beside it does not; what has to match goes first.
    @Test func precedence() {
        let (same, earlier) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:36 GMT")
        #expect(evaluate([.ifMatch: "\"xyzzy\"", .ifUnmodifiedSince: earlier]) == .proceed)
        #expect(evaluate([.ifNoneMatch: "\"r2d2xxxx\"", .ifModifiedSince: same]) == .proceed)
        #expect(evaluate([.ifUnmodifiedSince: earlier, .ifNoneMatch: "\"xyzzy\""]) == .failed)
        #expect(evaluate([.ifUnmodifiedSince: same, .ifModifiedSince: same]) == .notModified)
    }

    /// Without a validator of its own, a response fits no tag, and dates say nothing.
    @Test func answersWithoutValidators() {
        let conditions = Preconditions(entityTag: nil, modified: nil)
        #expect(conditions.evaluate { $0 == .ifMatch ? "\"xyzzy\"" : nil } == .failed)
        #expect(conditions.evaluate { $0 == .ifNoneMatch ? "\"xyzzy\"" : nil } == .proceed)
        #expect(conditions.evaluate { $0 == .ifModifiedSince ? "Sun, 06 Nov 1994 08:49:37 GMT" : nil } == .proceed)
        #expect(!conditions.allowsRange { $0 == .ifRange ? "\"xyzzy\"" : nil })
        #expect(conditions.allowsRange { _ in nil })
    }

    @Test func namesAreThoseOfTheStandard() {
        let fields: HeaderFields = ["if-none-match": "\"xyzzy\""]
        #expect(conditions.evaluate { fields[$0.rawValue] } == .notModified)
    }
}

@Suite struct FieldDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func theThreeFormats(_ date: String) {
        #expect(FieldDate.nanoseconds(date) == 784_111_777_000_000_000)
    }

    /// RFC 9110 section 5.6.7: a year that seems to be more than 50 years ahead is the last one with these digits.
    @Test func yearsOfTwoDigits() {
        let second: Int64 = 1_000_000_000
        // 2026-11-23, and the first of January of the years that are meant.
        let now = 1_795_392_000 * second
        for (digits, seconds) in [
            ("26", 1_767_225_600), ("76", 3_345_062_400), ("77", 220_924_800), ("00", 946_684_800),
        ] {
            let found = FieldDate.nanoseconds("Monday, 01-Jan-\(digits) 00:00:00 GMT", now: now)
            #expect(found == Int64(seconds) * second, "\(digits)")
        }
    }

    @Test(arguments: ["", "yesterday", "Sunday, 06-Nov-94 08:49:37 CET", "Sun Nov 31 08:49:37 1994", "- - - - -"])
    func whatIsNoDate(_ text: String) {
        #expect(FieldDate.nanoseconds(text) == nil)
    }
}
