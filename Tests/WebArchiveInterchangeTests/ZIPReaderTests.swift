// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct ZIPReaderTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.
    private let members: [(String, [UInt8])] = [
        ("a.txt", Array("first".utf8)), ("empty", []), ("deep/er/b", Array(repeating: 7, count: 300_000)),
        ("../../etc/passwd", Array("not a path".utf8)),
    ]

    /// Reads all members of a file.
    private func contents(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
        let zip = try ZIPFile(MemoryByteSource(bytes, name: "x.zip"))
        return try zip.members.reduce(into: [:]) { all, member in
            all[member.name] = try zip.bytes(of: member, name: "x.zip!\(member.name)", maximumLength: 1 << 20)
        }
    }

    /// Reads all that can be read, and returns the errors.
    private func errors(_ bytes: [UInt8]) -> [ArchiveError] {
        do throws(ArchiveError) {
            let zip = try ZIPFile(MemoryByteSource(bytes, name: "x.zip"))
            var errors: [ArchiveError] = []
            for member in zip.members {
                do throws(ArchiveError) {
                    _ = try zip.bytes(of: member, name: "x.zip!\(member.name)", maximumLength: 1 << 20)
                } catch {
                    errors.append(error)
                }
            }
            return errors
        } catch {
            return [error]
        }
    }

    @Test(arguments: ["plain", "deflated", "streamed", "wide", "wide streamed", "comment", "prefix", "wide prefix"])
    func filesOfPython(_ form: String) throws {
        var make = PythonZIP(folder: folder)
        make.deflates = form == "deflated"
        make.isStreamed = form.contains("streamed")
        make.isWide = form.contains("wide")
        if form == "comment" { make.comment = "PK\u{5}\u{6} a comment" }
        if form.contains("prefix") { make.prefix = "#!/bin/sh\nexit\n" }
        let path = try make("x.zip", members)
        let found = try contents(folder.read("x.zip"))
        #expect(found == Dictionary(uniqueKeysWithValues: members), "\(path)")
        #expect(Set(found.keys) == Set(members.map(\.0)))
    }

    /// A file that was cut off anywhere has no directory, and the error has the path and the place.
    @Test func cutOff() throws {
        _ = try PythonZIP(folder: folder)("x.zip", [("a", Array("first".utf8)), ("b", Array("second".utf8))])
        let bytes = try folder.read("x.zip")
        for length in 0..<bytes.count {
            let error = try #require(errors(Array(bytes[..<length])).first, "cut at \(length)")
            #expect(error.code == .truncated && error.path == "x.zip" && error.offset == UInt64(length))
        }
    }

    /// Each byte, changed: the content is right, or an error says that it is not.
    @Test(arguments: [false, true]) func everyByte(_ deflates: Bool) throws {
        var make = PythonZIP(folder: folder)
        make.deflates = deflates
        let members: [(String, [UInt8])] = [("a", Array("first first first".utf8)), ("b", Array("second".utf8))]
        _ = try make("x.zip", members)
        let bytes = try folder.read("x.zip")
        for place in bytes.indices {
            for change: UInt8 in [0xFF, 0x01, 0x80] {
                var changed = bytes
                changed[place] ^= change
                for error in errors(changed) {
                    #expect(
                        [.damaged, .truncated, .unsupportedFeature, .limitExceeded].contains(error.code),
                        "\(place): \(error)")
                }
                guard let found = try? contents(changed) else { continue }
                #expect(Set(found.values).isSubset(of: Set(members.map(\.1))), "byte \(place)")
            }
        }
    }

    /// Members with one content, as in bombs of overlapping members.
    @Test func overlappingMembers() throws {
        _ = try PythonZIP(folder: folder)("x.zip", [("a", Array("first".utf8)), ("b", Array("first".utf8))])
        var bytes = try folder.read("x.zip")
        let second = try #require(bytes.lastIndex(ofSignature: [0x50, 0x4B, 1, 2]))
        // The second entry of the directory points to the first member.
        bytes.replaceSubrange(second + 42..<second + 46, with: [0, 0, 0, 0])
        let error = try #require(errors(bytes).first)
        #expect(error.code == .damaged && error.message.contains("overlap") && error.offset == 0)
    }

    /// The local header has an extra field that reaches into the next member.
    @Test func longLocalHeader() throws {
        _ = try PythonZIP(folder: folder)("x.zip", [("a", Array("first".utf8)), ("b", Array("second".utf8))])
        var bytes = try folder.read("x.zip")
        bytes[28] = 200
        #expect(errors(bytes).map(\.code) == [.damaged])
    }

    /// Lengths of 2^60 bytes take no memory.
    @Test func hugeLengths() throws {
        var make = PythonZIP(folder: folder)
        (make.isWide, make.deflates) = (true, true)
        _ = try make("x.zip", [("a", Array("first".utf8))])
        let bytes = try folder.read("x.zip")
        let entry = try #require(bytes.lastIndex(ofSignature: [0x50, 0x4B, 1, 2]))
        let numbers = entry + 46 + 1 + 4
        for (place, codes) in [(numbers, [ArchiveError.Code.limitExceeded]), (numbers + 8, [.damaged])] {
            var changed = bytes
            changed.replaceSubrange(place..<place + 8, with: [0, 0, 0, 0, 0, 0, 0, 0x10])
            #expect(errors(changed).map(\.code) == codes, "\(place)")
        }
        let end = try #require(bytes.lastIndex(ofSignature: [0x50, 0x4B, 6, 6]))
        for place in [end + 40, end + 48] {
            var changed = bytes
            changed.replaceSubrange(place..<place + 8, with: [0, 0, 0, 0, 0, 0, 0, 0x10])
            #expect(errors(changed).map(\.code) == [.damaged], "\(place)")
        }
    }

    /// A member that decodes to more than it claims is given up at its claim.
    @Test func bomb() throws {
        var make = PythonZIP(folder: folder)
        make.deflates = true
        _ = try make("x.zip", [("a", [UInt8](repeating: 0, count: 50 << 20))])
        var bytes = try folder.read("x.zip")
        let entry = try #require(bytes.lastIndex(ofSignature: [0x50, 0x4B, 1, 2]))
        bytes.replaceSubrange(entry + 24..<entry + 28, with: [0, 1, 0, 0])
        let error = try #require(errors(bytes).first)
        #expect(error.code == .damaged && error.message.contains("longer") && error.offset ?? .max < 1 << 17)
    }

    @Test func methodsThatAreNotKnown() throws {
        _ = try PythonZIP(folder: folder)("x.zip", [("a", Array("first".utf8))])
        let bytes = try folder.read("x.zip")
        let entry = try #require(bytes.lastIndex(ofSignature: [0x50, 0x4B, 1, 2]))
        for place in [entry + 8, entry + 10] {
            var changed = bytes
            changed[place] |= 1
            #expect(errors(changed).map(\.code) == [.unsupportedFeature])
        }
    }
}

extension [UInt8] {
    /// Returns the last place of a signature.
    fileprivate func lastIndex(ofSignature signature: [UInt8]) -> Int? {
        indices.last { self[$0...].starts(with: signature) }
    }
}
