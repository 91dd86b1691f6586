// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// A site of any size, the same each time: documentation in many versions, with the paths that real documentation has.
///
/// Entries come in the order of a crawl, not in that of their keys.
public struct SyntheticSite: Sendable {
    /// Whose header fields the responses have.
    public enum Headers: String, Sendable {
        /// Those that `webarc pack` makes.
        case packed
        /// Those that came over the network from nginx.
        case recorded
    }

    private let paths: [[UInt8]]
    private let headers: Headers

    /// - Parameter paths: a path a line, relative to a version of the site.
    public init(paths text: [UInt8], headers: Headers) {
        paths = text.split(separator: UInt8(ascii: "\n")).map(Array.init)
        self.headers = headers
    }

    /// The path of an entry, and the version that it is of.
    private func place(_ number: Int) -> (path: String, version: Int) {
        // The paths are sorted, and a crawl is not: a step without a divisor in common with their number goes through all of them.
        let (version, step) = number.quotientAndRemainder(dividingBy: paths.count)
        return (String(decoding: paths[step * 7919 % paths.count], as: UTF8.self), version)
    }

    public func url(_ number: Int) -> String {
        let (path, version) = place(number)
        return "https://docs.example.org/en/\(version / 10).\(version % 10)/\(path)"
    }

    public func isRedirect(_ number: Int) -> Bool { number % 50 == 49 }

    /// A short page, different from all others.
    public func body(_ number: Int) -> [UInt8] {
        Array("<!doctype html>\n<title>\(place(number).path)</title>\n<p>Page \(number)</p>\n".utf8)
    }

    /// Returns the response of an entry; one in fifty is a redirect to the one before.
    public func response(_ number: Int, bodyLength: UInt64) -> ArchiveResponse {
        let path = place(number).path
        if isRedirect(number) { return redirect(number) }
        let seconds = modified(number)
        let type = MediaType(path: path)
        let date = HTTPDate.text(nanoseconds: seconds * 1_000_000_000)
        switch headers {
        case .packed:
            return ArchiveResponse(
                headers: [
                    "Content-Type": type.text, "Content-Length": String(bodyLength), "Last-Modified": date,
                    "Cache-Control": type.isPage ? "max-age=600" : "max-age=31536000, immutable",
                    "X-Content-Type-Options": "nosniff",
                ])
        case .recorded:
            return ArchiveResponse(
                reason: "OK",
                headers: [
                    "Server": "nginx/1.24.0", "Date": HTTPDate.text(nanoseconds: time(number)),
                    "Content-Type": type.text, "Content-Length": String(bodyLength), "Last-Modified": date,
                    "Connection": "keep-alive", "Vary": "Accept-Encoding",
                    "ETag": "\"\(String(seconds, radix: 16))-\(String(bodyLength, radix: 16))\"",
                    "Cache-Control": type.isPage ? "max-age=600" : "max-age=31536000, immutable",
                    "Strict-Transport-Security": "max-age=31536000; includeSubDomains", "Accept-Ranges": "bytes",
                ])
        }
    }

    private func redirect(_ number: Int) -> ArchiveResponse {
        switch headers {
        case .packed: ArchiveResponse(status: 301, headers: ["Location": url(number - 1)])
        case .recorded:
            ArchiveResponse(
                status: 301, reason: "Moved Permanently",
                headers: [
                    "Server": "nginx/1.24.0", "Date": HTTPDate.text(nanoseconds: time(number)),
                    "Content-Type": "text/html", "Content-Length": "0", "Location": url(number - 1),
                    "Connection": "keep-alive",
                ])
        }
    }

    /// Twenty answers a second.
    private func time(_ number: Int) -> Int64 { (1_735_689_600 + Int64(number) / 20) * 1_000_000_000 }

    /// Some second of the five years before, which follows no pattern.
    private func modified(_ number: Int) -> Int64 {
        var word = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        word ^= word >> 29
        return 1_735_689_600 - Int64(word % 157_680_000)
    }
}

/// The media type of a path, by its extension.
private struct MediaType {
    let text: String
    let isPage: Bool

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
        "png": "image/png", "txt": "text/plain; charset=utf-8", "woff2": "font/woff2", "json": "application/json",
    ]

    init(path: String) {
        let name = path.split(separator: ".").last.map(String.init) ?? ""
        text = Self.types[name] ?? "application/octet-stream"
        isPage = name == "html"
    }
}
