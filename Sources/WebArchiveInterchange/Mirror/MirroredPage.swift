// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The recognition of a mirrored file's properties in its bytes.
enum MirroredPage {
    /// Returns the URL that HTTrack wrote into a page: `<!-- Mirrored from host/path by HTTrack ... -->`; nil without it.
    ///
    /// The author of a page can have written it as well, so it counts only for a name that HTTrack makes of it: one of the same host and folder,
    /// with the same beginning.
    ///
    /// - Parameter guess: a URL that the name of the file suggests.
    static func url(in start: [UInt8], of site: MirrorSite, named guess: String) -> String? {
        let mark = Array("<!-- Mirrored from ".utf8)
        guard let place = start.firstRange(of: mark) else { return nil }
        let rest = start[place.upperBound...].prefix(4096)
        guard let end = rest.firstRange(of: Array(" by HTTrack".utf8)),
            var text = String(validating: rest[..<end.lowerBound], as: UTF8.self)
        else { return nil }
        if !text.contains("://") { text = "\(site.origin.prefix { $0 != ":" })://\(text)" }
        guard let url = try? CanonicalURL(text), let origin = try? CanonicalURL(site.origin + "/"),
            url.host.map(Array.init) == origin.host.map(Array.init), let named = try? CanonicalURL(guess),
            isName(path(named), madeOf: path(url))
        else { return nil }
        return text
    }

    private static func path(_ url: CanonicalURL) -> [UInt8] {
        Array(url.description.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3).drop { $0 != UInt8(ascii: "/") })
    }

    /// Returns whether HTTrack makes a path, such as `/a/page1b2c.html`, of that of a URL, such as `/a/page.php?x`.
    private static func isName(_ name: [UInt8], madeOf path: [UInt8]) -> Bool {
        let path = path.prefix { $0 != UInt8(ascii: "?") }
        let (start, own) = (
            (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1, (name.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        )
        guard path[..<start] == name[..<own] else { return false }
        let stem = path[start...].prefix { $0 != UInt8(ascii: ".") }
        return name[own...].starts(with: stem.isEmpty ? Array("index".utf8)[...] : stem)
            || name[own...].isEmpty && stem.isEmpty
    }

    /// Returns the media type of a file: by its name, or of HTML by its content, since the names of programs are of no use.
    static func mediaType(ofName name: [UInt8], _ start: [UInt8]) -> String {
        let file = name.prefix { $0 != UInt8(ascii: "?") }
        let types = [MediaTypes.type(ofPath: name), MediaTypes.type(ofPath: Array(file))]
        let known = types.first { $0 != MediaTypes.unknown }
        if let known,
            MediaTypes.isCompressible(known) || ["image", "font", "audio", "video"].contains(where: known.hasPrefix)
        {
            return known
        }
        let text = String(decoding: start.prefix(512), as: UTF8.self).asciiLowercased
        let isHTML = ["<!doctype html", "<html", "<head", "<body"].contains { text.contains($0) }
        return isHTML ? "text/html" : known ?? MediaTypes.unknown
    }
}
