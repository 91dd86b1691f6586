// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import WebArchive

/// An edition of a site, which can become the next one.
struct Edition {
    private var pages: [(name: String, body: [UInt8])] = []
    private var number = 1

    /// Makes a site of pages that share their head, of files that cannot be compressed, and of two that take many blocks.
    ///
    /// - Parameter hasLongFiles: whether there are files of many blocks, which take most of the time.
    init(_ random: inout SeededGenerator, pageCount: Int = 60, hasLongFiles: Bool = true) {
        for page in 0..<pageCount { pages.append(("page\(page).html", Self.page(page, &random))) }
        for image in 0..<5 {
            pages.append(("image\(image).png", random.bytes(Int.random(in: 100...20_000, using: &random))))
        }
        pages.append(("film.bin", random.bytes(hasLongFiles ? 1_500_000 : 30_000)))
        if hasLongFiles { pages.append(("book.txt", (0..<400).flatMap { _ in Self.page(0, &random) })) }
        pages.append(("empty.txt", []))
    }

    private static func page(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let words = ["archive", "offline", "kiosk", "page", "site", "index", "of", "the", "edition"]
        let text = (0..<Int.random(in: 10...600, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        return Array("<!DOCTYPE html><title>Page \(number), version 1.0</title><p>\(text.joined(separator: " "))".utf8)
    }

    /// Makes small changes on most pages, and adds, removes and replaces some files.
    mutating func change(_ random: inout SeededGenerator) {
        number += 1
        for place in pages.indices where Int.random(in: 0..<4, using: &random) > 0 && pages[place].body.count > 20 {
            let start = Int.random(in: 0..<pages[place].body.count - 10, using: &random)
            pages[place].body.replaceSubrange(start..<start + 5, with: Array("edition \(number)".utf8))
        }
        pages.remove(at: Int.random(in: 1..<10, using: &random))
        pages.append(("new\(number).html", random.bytes(700)))
        pages.append(("film\(number).bin", random.bytes(300_000)))
    }

    /// Writes the files into a folder, in the place of those that are there.
    func write(toFolder name: String, of folder: TemporaryFolder) throws {
        try? FileManager.default.removeItem(atPath: folder.path(name).string)
        for page in pages { try folder.write("\(name)/\(page.name)", page.body) }
    }

    /// Writes the edition as an archive of one commit.
    func write(to path: FilePath, options: ArchiveWriter.Options) throws {
        let writer = try ArchiveWriter(creating: path, options: options)
        for page in pages {
            var response = ArchiveResponse()
            response.headers = [HeaderField(name: "ETag", value: "\"\(number)-\(page.name)\"")]
            try writer.add(
                ArchiveRequest(url: "https://site.example/\(page.name)"), response: response,
                body: writer.addBody(page.body))
        }
        try writer.commit()
    }
}
