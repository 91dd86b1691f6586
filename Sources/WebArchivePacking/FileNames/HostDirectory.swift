// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The mapping between the scheme and authority of a URL and the directory that holds its files.
///
/// `https://host` is `host` and `http://host` is `http_host`; a port other than the default goes after it, as in
/// `host_8080`. Any ambiguous form (a different scheme, userinfo, an IP literal, a host such as
/// "a_80") is an escaped name: `%webarc%` and the URL's text before its path.
package struct HostDirectory: Hashable, Sendable {
    /// Creates the mapping, which has no options.
    package init() {}

    /// Returns the directory of a URL's scheme and authority: one component unless an escaped name is longer than ``URLFileName/maximumLength``
    /// bytes. The URL's path and query do not matter.
    package func directory(of url: CanonicalURL) -> [[UInt8]] {
        if let name = simpleName(url), FileNameRules.allow(name), Self.root(name)?[...] == url.root { return [name] }
        return EscapedName(token: url.root).components
    }

    /// Returns the site that the first components of a file path represent, and the remaining components.
    ///
    /// The site is a URL for ``URLFileName/url(of:at:isDirectory:)``, with the shortest path its scheme has.
    ///
    /// - Throws: ``InvalidFileName/unknownHostDirectory`` if ``directory(of:)`` returns these components for no URL,
    ///   ``InvalidFileName/emptyPath`` if there are none.
    package func site(
        of filePath: [[UInt8]]
    ) throws(InvalidFileName) -> (site: CanonicalURL, rest: ArraySlice<[UInt8]>) {
        guard let first = filePath.first else { throw .emptyPath }
        var root = Self.root(first)
        var end = 1
        if first.starts(with: EscapedName.mark), let read = EscapedName.read(filePath, at: 0) {
            root = read.name.read().map { Array($0.token) }
            end = read.end
        }
        guard let root, let site = try? CanonicalURL(utf8: root), site.root == root[...],
            directory(of: site)[...] == filePath[..<end]
        else { throw .unknownHostDirectory }
        return (site, filePath[end...])
    }

    /// Returns the plain name of a site's directory; nil for a scheme other than http and https, and for userinfo.
    private func simpleName(_ url: CanonicalURL) -> [UInt8]? {
        guard let host = url.host, url.userinfo == nil else { return nil }
        var name: [UInt8] = []
        if url.scheme.elementsEqual("http".utf8) {
            name.append(contentsOf: Self.httpMark)
        } else if !url.scheme.elementsEqual("https".utf8) {
            return nil
        }
        name.append(contentsOf: host)
        if let port = url.port { name.append(contentsOf: "_\(port)".utf8) }
        return name
    }

    /// Returns the scheme and authority that a simple name represents.
    private static func root(_ name: [UInt8]) -> [UInt8]? {
        var rest = name[...]
        var root: [UInt8]
        if rest.starts(with: httpMark) {
            root = Array("http://".utf8)
            rest = rest.dropFirst(httpMark.count)
        } else {
            root = Array("https://".utf8)
        }
        guard !rest.isEmpty, rest.allSatisfy(ASCIISet.simpleHost.contains) else { return nil }
        if let mark = rest.lastIndex(of: .ascii("_")), mark > rest.startIndex {
            let digits = rest[(mark + 1)...]
            let spelled = rest[..<mark] + [.ascii(":")] + digits
            // Only a port that a canonical URL keeps is one: in "a_443", "a_080" and "a_99999" it is the host's name.
            if !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit),
                CanonicalURL.isCanonical(utf8: root + spelled + [.ascii("/")])
            {
                return root + spelled
            }
        }
        root.append(contentsOf: rest)
        return root
    }

    /// The beginning of the name for `http`. A host of `https` that begins with it gets an escaped name.
    private static let httpMark = Array("http_".utf8)
}
