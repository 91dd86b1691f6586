// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A folder of a mirror that has the files of one host, and the guesses of URLs for their names.
///
/// wget has the port behind a colon, or behind a plus sign in names for Windows, and a question mark or an at sign before a query. HTTrack has the
/// port behind an underscore. Both write decoded names, in which `%` stays where it was.
struct MirrorSite {
    /// The scheme, the host and the port.
    let origin: String
    /// The number of folders that represent the origin.
    let folderCount: Int
    /// Whether an at sign stands for a question mark.
    private let isForWindows: Bool

    /// The endings that wget adds to names, by `--adjust-extension`.
    private static let addedEndings = [Array(".html".utf8), Array(".css".utf8)]
    private static let programEndings = [".php", ".asp", ".aspx", ".jsp", ".cgi", ".pl"].map { Array($0.utf8) }
    private static let index = Array("index.html".utf8)

    /// - Parameters:
    ///   - path: the names of folders, and that of the file.
    ///   - scheme: the scheme, unless the first folder is one.
    ///   - isOfHTTrack: whether HTTrack made the mirror. Otherwise a host needs a dot or a port, for any folder has folders.
    /// - Returns: nil for a path that does not begin with a host.
    init?(_ path: [[UInt8]], scheme: String, isOfHTTrack: Bool = false) {
        guard path.count > 1 else { return nil }
        var (scheme, names) = (scheme, path[...])
        let first = String(decoding: path[0], as: UTF8.self)
        // `wget --protocol-directories`.
        if ["http", "https", "ftp"].contains(first), path.count > 2 {
            scheme = first
            names = names.dropFirst()
        }
        guard let folder = names.first, folder.first != UInt8(ascii: "."), folder != Array("hts-cache".utf8) else {
            return nil
        }
        let port = folder.lastIndex { [UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "_")].contains($0) }
        var host = folder
        if let port, port > 0, port + 1 < folder.count, folder[(port + 1)...].allSatisfy({ (0x30...0x39).contains($0) })
        {
            host[port] = UInt8(ascii: ":")
        }
        let isHost = host.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
        guard isHost || isOfHTTrack || names.startIndex > 0 || host == Array("localhost".utf8) else { return nil }
        guard let text = String(validating: host, as: UTF8.self), !text.contains("@"), !text.contains("%"),
            let url = try? CanonicalURL("\(scheme)://\(text)/"), url.bytes.count > scheme.utf8.count + 4
        else { return nil }
        origin = String(url.description.dropLast())
        folderCount = path.count - names.count + 1
        isForWindows = port.map { folder[$0] == UInt8(ascii: "+") && host[$0] == UInt8(ascii: ":") } ?? false
    }

    /// Returns the guesses of the URL of a file: the best one first, and that of its path as it is last.
    func urls(_ path: [[UInt8]]) -> [String] {
        let names = path[folderCount...]
        guard let name = names.last else { return [] }
        let folders = names.dropLast().map { Self.encoded($0[...]) + "/" }.joined()
        let literal = "\(origin)/\(folders)\(Self.encoded(name[...]))"
        var urls: [String] = []
        func add(_ end: String) {
            let url = "\(origin)/\(folders)\(end)"
            if !urls.contains(url) { urls.append(url) }
        }
        if let mark = queryMark(name) {
            let (file, query) = (name[..<mark], name[(mark + 1)...])
            let start = file.elementsEqual(Self.index) ? "" : Self.encoded(file)
            for ending in Self.addedEndings
            where query.count > ending.count && query.suffix(ending.count) == ending[...] {
                add("\(start)?\(Self.encoded(query.dropLast(ending.count), isQuery: true))")
            }
            add("\(start)?\(Self.encoded(query, isQuery: true))")
        } else if name == Self.index {
            add("")
        } else if Self.programEndings.contains(where: { name.suffix($0.count + 5) == ($0 + ".html".utf8)[...] }) {
            add(Self.encoded(name.dropLast(5)))
        }
        if !urls.contains(literal) { urls.append(literal) }
        return urls
    }

    private func queryMark(_ name: [UInt8]) -> Int? {
        if let mark = name.firstIndex(of: UInt8(ascii: "?")) { return mark }
        guard let mark = name.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        return isForWindows || name[mark...].contains(UInt8(ascii: "=")) ? mark : nil
    }

    /// Returns a name as a part of a URL: all bytes that it cannot have are encoded. A triplet stays one.
    private static func encoded(_ name: ArraySlice<UInt8>, isQuery: Bool = false) -> String {
        let kept = isQuery ? Array("-._~!$&'()*+,;=:@/?".utf8) : Array("-._~!$&'()*+,;=:@".utf8)
        var bytes: [UInt8] = []
        for (place, byte) in zip(name.indices, name) {
            let isKept =
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "%"):
                    name.endIndex - place > 2 && PercentEncoding.hexValue(name[place + 1]) != nil
                        && PercentEncoding.hexValue(name[place + 2]) != nil
                default: kept.contains(byte)
                }
            if isKept {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                PercentEncoding.appendHex(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
