// SPDX-License-Identifier: Apache-2.0

import Mutation
package import SystemPackage

@testable import WebArchive
@testable import WebArchiveFormat

/// Small archives of a site, of every kind of row and block, which ``Publisher``'s keys sign. The same in each run.
package struct Edition {
    /// The series of all editions.
    package static let series = "example.org"

    /// The number of the edition, from 1.
    package let number: Int
    private var random: MutationRandom

    package init(_ number: Int) {
        self.number = number
        random = MutationRandom(seed: UInt32(number / 2))
    }

    /// Writes the edition as an archive of one commit.
    package mutating func write(to path: FilePath) throws {
        let signing = ArchiveSigning(
            [Publisher.alice], series: Self.series, sequence: UInt64(number),
            time: ArchiveTime(nanoseconds: 1_750_000_000_000_000_000))
        let level: CompressionLevel = [.fast, .level(1), .standard, .level(9)][number % 4]
        let writer = try ArchiveWriter(
            creating: path, options: .init(level: level, blockExponent: 12, signing: signing))
        try addPages(writer)
        try addFiles(writer)
        try addDictionary(writer, level)
        try writer.setMetadata("title", to: "Edition \(number)")
        try writer.commit()
    }

    /// Appends a commit that two keys sign, one of which the other endorses.
    package mutating func append(to path: FilePath) throws {
        let signing = ArchiveSigning(
            [Publisher.alice, Publisher.bob], series: Self.series, sequence: UInt64(number + 10),
            endorsements: [try Publisher.alice.endorse(Publisher.bob.publicKey)])
        let writer = try ArchiveWriter(appendingTo: path, options: .init(signing: signing))
        try add("later.html", Array("<p>later, of edition \(number)".utf8), writer)
        try addFiles(writer)
        try writer.commit()
    }

    private func add(_ name: String, _ body: [UInt8], _ writer: ArchiveWriter) throws {
        let response = ArchiveResponse(headers: ["Content-Type": "text/html", "ETag": "\"\(number)-\(name)\""])
        try writer.add(
            ArchiveRequest(url: "https://example.org/\(name)"), response: response, body: writer.addBody(body))
    }

    private mutating func addPages(_ writer: ArchiveWriter) throws {
        for page in 0..<6 + number {
            let text = String(repeating: "the archive of page \(page) ", count: 3 + 5 * page)
            try add(
                "page\(page).html",
                Array("<title>\(page)</title>\(page % 2 == 0 ? "edition \(number)" : "")\(text)".utf8), writer)
        }
        let posted = try writer.addBody(Array("a=\(number)&b=2".utf8))
        try writer.add(
            ArchiveRequest(method: "POST", url: "https://example.org/form"), requestBody: posted,
            response: ArchiveResponse(status: 204, headers: []))
        try writer.add(
            ArchiveRequest(url: "https://example.org/old"),
            response: ArchiveResponse(status: 301, headers: ["Location": "/page1.html"]))
        try add("empty.txt", [], writer)
    }

    /// Files that compression does not make shorter, and one of several blocks.
    private mutating func addFiles(_ writer: ArchiveWriter) throws {
        var noise: [UInt8] = []
        for _ in 0..<6000 + 500 * number { noise.append(UInt8(random.next(256))) }
        try add("image.png", Array(noise[..<1500]), writer)
        try add("film.bin", Array(noise[1500...]), writer)
        let line = Array("a line of a book, of edition \(number / 2)\n".utf8)
        try add("book.txt", Array((0..<200).map { _ in line }.joined()), writer)
    }

    private func addDictionary(_ writer: ArchiveWriter, _ level: CompressionLevel) throws {
        let builder = writer.builder
        let contents = Array("<!doctype html><title>Edition \(number / 2)</title><p>words that all pages have".utf8)
        let dictionary = try builder.addDictionary(contents, name: Array("html".utf8))
        let prepared = PreparedDictionary(contents, level: level)
        for page in 0..<3 {
            let body = contents + Array(" and page \(page)".utf8) + Array(repeating: UInt8(0x61 + page), count: 40)
            let block = try body.withBytes { (bytes) throws(ArchiveError) in
                try builder.compressBlock(bytes, dictionary: dictionary, prepared)
            }
            let reference = try builder.register(
                ContentDigest(hashing: body), length: UInt64(body.count), block: block, offset: 0)
            try writer.add(
                ArchiveRequest(url: "https://example.org/words\(page).html"), response: ArchiveResponse(headers: []),
                body: reference)
        }
    }
}
