// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)  // The oracle is another process.

    import CWebArchiveKernels
    import Foundation
    import Testing

    @Suite("MD5 of many messages")
    struct MD5ManyTests {
        static let supportedLanes: [UInt32] = [1, 4, 8, 16].filter { webarchive_md5_many_with_lanes($0, nil, 0, nil) }

        // RFC 1321, appendix A.5.
        static let vectors: [(text: String, digest: String)] = [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ]

        @Test func theWidestImplementationIsTheDefault() {
            #expect(webarchive_md5_lane_count() == Self.supportedLanes.max())
            #expect(Self.supportedLanes.contains(1))
            #if arch(arm64)
                #expect(Self.supportedLanes == [1, 4])
            #endif
        }

        @Test func anImplementationWhichIsNotThereLeavesTheDigestsAlone() {
            let messages = MessageSet([[1, 2, 3]])
            for lanes: UInt32 in [0, 2, 3, 5, 32, .max] {
                #expect(messages.digests(lanes: lanes) == nil)
            }
        }

        /// Enough copies that the vectors run in every lane, at a place of its own in each round.
        @Test(arguments: supportedLanes)
        func vectorsOfTheRFC(lanes: UInt32) throws {
            let repeated = Array(repeatElement(Self.vectors, count: 15).joined())
            let digests = try #require(MessageSet(repeated.map { Array($0.text.utf8) }).digests(lanes: lanes))
            #expect(digests == repeated.map(\.digest))
            for vector in Self.vectors {
                #expect(MessageSet([Array(vector.text.utf8)]).digests(lanes: lanes) == [vector.digest])
            }
        }

        @Test func everyLengthNearTheEdgesOfBlocks() throws {
            var random = SeededRandom(seed: 1321)
            let edges = (5...40).flatMap { (64 * $0 - 10)...(64 * $0 + 2) }
            let further = [4096, 65_536].flatMap { ($0 - 9)...($0 + 1) } + [1 << 20]
            try Self.expectEveryImplementationToAgree([
                MessageSet(lengths: Array(0...300), random: &random),
                MessageSet(lengths: edges, random: &random),
                MessageSet(lengths: further, random: &random),
            ])
        }

        @Test func everyCountOfMessages() throws {
            var random = SeededRandom.fresh(for: "everyCountOfMessages")
            try Self.expectEveryImplementationToAgree(
                (0...100).map { count in
                    MessageSet(
                        lengths: (0..<count).map { _ in Int.random(in: 0...400, using: &random) }, random: &random)
                })
        }

        /// Above 1,024 messages the order of work lies in memory of its own.
        @Test func mixedLengths() throws {
            var random = SeededRandom.fresh(for: "mixedLengths")
            let counts = [33, 64, 500, 1024, 1025, 3000]
            var sets = counts.map { count in
                MessageSet(
                    lengths: (0..<count).map { _ in
                        let ceiling = 1 << Int.random(in: 0...13, using: &random)
                        return Int.random(in: 0...ceiling, using: &random)
                    },
                    random: &random)
            }
            // One message outlives all the others, wherever it stands.
            for position in [0, 20, 40] {
                var lengths = (0..<41).map { _ in Int.random(in: 0...2000, using: &random) }
                lengths[position] = 1_500_000 + Int.random(in: 0..<64, using: &random)
                sets.append(MessageSet(lengths: lengths, random: &random))
            }
            try Self.expectEveryImplementationToAgree(sets)
        }

        @Test func emptyMessagesWithoutAnAddress() throws {
            let messages = [webarchive_message](repeating: webarchive_message(bytes: nil, length: 0), count: 70)
            for lanes in Self.supportedLanes {
                var digests = [webarchive_md5_digest](repeating: webarchive_md5_digest(), count: messages.count)
                try #require(webarchive_md5_many_with_lanes(lanes, messages, messages.count, &digests))
                #expect(Set(digests.map(hexadecimal)) == [Self.vectors[0].digest])
            }
            webarchive_md5_many(nil, 0, nil)
        }

        private static func expectEveryImplementationToAgree(_ sets: [MessageSet]) throws {
            let expected = try digestsByPython(of: sets)
            for (set, digests) in zip(sets, expected) {
                #expect(try set.firstWrong(set.digests(), digests) == nil, "the default implementation")
                for lanes in supportedLanes {
                    #expect(try set.firstWrong(set.digests(lanes: lanes), digests) == nil, "\(lanes) lanes")
                }
            }
        }
    }

    /// Messages in one buffer, without padding between them, so that their addresses have every alignment.
    private struct MessageSet {
        let bytes: [UInt8]
        let ranges: [Range<Int>]

        init(_ messages: [[UInt8]]) {
            bytes = Array(messages.joined())
            ranges = Self.ranges(ofLengths: messages.map(\.count))
        }

        init(lengths: [Int], random: inout SeededRandom) {
            let total = lengths.reduce(0, +)
            var words: [UInt64] = []
            for _ in 0..<(total + 7) / 8 {
                words.append(random.next())
            }
            bytes = words.withUnsafeBytes { Array($0.prefix(total)) }
            ranges = Self.ranges(ofLengths: lengths)
        }

        private static func ranges(ofLengths lengths: [Int]) -> [Range<Int>] {
            var start = 0
            return lengths.map { length in
                defer { start += length }
                return start..<start + length
            }
        }

        /// By `webarchive_md5_many`, or by the implementation of `lanes` lanes: nil if there is none.
        func digests(lanes: UInt32? = nil) -> [String]? {
            var digests = [webarchive_md5_digest](repeating: Self.untouched, count: ranges.count)
            let done = bytes.withUnsafeBufferPointer { buffer in
                let messages = ranges.map { range in
                    webarchive_message(bytes: buffer.baseAddress.map { $0 + range.lowerBound }, length: range.count)
                }
                guard let lanes else {
                    webarchive_md5_many(messages, messages.count, &digests)
                    return true
                }
                return webarchive_md5_many_with_lanes(lanes, messages, messages.count, &digests)
            }
            guard done else {
                let expected = hexadecimal(Self.untouched)
                #expect(digests.allSatisfy { hexadecimal($0) == expected })
                return nil
            }
            return digests.map(hexadecimal)
        }

        /// Of thousands of digests a failure shows only one.
        func firstWrong(_ digests: [String]?, _ expected: [String]) throws -> String? {
            let digests = try #require(digests)
            try #require(digests.count == expected.count)
            return digests.indices.first { digests[$0] != expected[$0] }.map {
                "message \($0) of \(ranges.count), \(ranges[$0].count) bytes: \(digests[$0]), not \(expected[$0])"
            }
        }

        private static var untouched: webarchive_md5_digest {
            var digest = webarchive_md5_digest()
            withUnsafeMutableBytes(of: &digest) { $0.copyBytes(from: repeatElement(0xa5, count: $0.count)) }
            return digest
        }
    }

    private func hexadecimal(_ digest: webarchive_md5_digest) -> String {
        let digits = Array("0123456789abcdef")
        return withUnsafeBytes(of: digest) { bytes in
            String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        }
    }

    /// SplitMix64: a failure is repeated by its seed.
    private struct SeededRandom: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) {
            state = seed
        }

        /// A new seed each run, which is printed. WEBARC_TEST_SEED sets it.
        static func fresh(for test: String) -> SeededRandom {
            let given = ProcessInfo.processInfo.environment["WEBARC_TEST_SEED"].flatMap { UInt64($0) }
            let seed = given ?? UInt64.random(in: 0...UInt64.max)
            print("\(test): WEBARC_TEST_SEED=\(seed)")
            return SeededRandom(seed: seed)
        }

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    /// The oracle: Python's hashlib, in one process for all the messages of all the sets.
    private func digestsByPython(of sets: [MessageSet]) throws -> [[String]] {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("webarc-md5-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let input = directory.appendingPathComponent("messages")
        let lengths = directory.appendingPathComponent("lengths")
        try sets.reduce(into: Data()) { $0.append(contentsOf: $1.bytes) }.write(to: input)
        let list = sets.flatMap(\.ranges).map { String($0.count) }.joined(separator: "\n")
        try Data(list.utf8).write(to: lengths)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", oracleProgram, input.path, lengths.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let response = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)

        var digests = String(decoding: response, as: UTF8.self).split(separator: "\n").map(String.init)[...]
        try #require(digests.count == sets.reduce(0) { $0 + $1.ranges.count })
        return sets.map { set in
            defer { digests = digests.dropFirst(set.ranges.count) }
            return Array(digests.prefix(set.ranges.count))
        }
    }

    private let oracleProgram = """
        import hashlib, sys
        with open(sys.argv[1], "rb") as messages, open(sys.argv[2]) as lengths:
            for length in map(int, lengths.read().split()):
                message = messages.read(length)
                assert len(message) == length
                print(hashlib.md5(message).hexdigest())
        """

#endif
