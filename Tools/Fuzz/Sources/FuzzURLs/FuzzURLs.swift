// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchivePacking

/// URLs: canonical form, parts, resolution of references, and the file names that unpacking gives them.
///
/// A byte that no UTF-8 text holds parts the input: a URL before it, a reference to resolve behind it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzURLs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        let parts = bytes.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
        guard let url = try? CanonicalURL(utf8: Array(parts[0])) else { return }
        checkForm(url)
        checkParts(url)
        checkFileNames(url)
        guard parts.count > 1, let target = try? url.resolving(utf8: Array(parts[1])) else { return }
        checkForm(target)
        if let alone = try? CanonicalURL(utf8: Array(parts[1])) {
            expect(alone == target, "an absolute reference, resolved, is \(target) and not \(alone)")
        } else if !namesAuthority(parts[1]) {
            expect(target.root == url.root, "a relative reference leads from \(url) to \(target)")
        }
        let again = try? url.resolving(utf8: target.bytes)
        expect(again == target, "resolving \(target) gives \(again?.description ?? "nothing")")
    }
}

/// Whether a reference begins with "//", stray blanks and line breaks aside.
private func namesAuthority(_ reference: ArraySlice<UInt8>) -> Bool {
    reference.drop { $0 <= 0x20 }.filter { ![0x09, 0x0A, 0x0D].contains($0) }.starts(with: "//".utf8)
}

private func checkForm(_ url: CanonicalURL) {
    expect(CanonicalURL.isCanonical(utf8: url.bytes), "\(url) is not canonical")
    expect((try? CanonicalURL(utf8: url.bytes)) == url, "\(url) changes when it is made canonical again")
    expect((try? CanonicalURL(url.description)) == url, "\(url) as text is another URL")
    expect(url.bytes.count <= CanonicalURL.maximumLength, "too long")
    expect(url.bytes.allSatisfy(formBytes.contains), "\(url) holds a byte that it must not")
}

/// Specification section 8.1, what a canonical form holds.
private let formBytes = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?[]%".utf8)

private func checkParts(_ url: CanonicalURL) {
    var whole = Array(url.scheme) + Array(":".utf8)
    if let authority = url.authority { whole += Array("//".utf8) + authority }
    expect(url.root.elementsEqual(whole), "the root of \(url)")
    whole += url.path
    if let query = url.query { whole += Array("?".utf8) + query }
    expect(whole == url.bytes, "the parts of \(url) make another URL")
    guard let authority = url.authority, let host = url.host else {
        expect(url.authority == nil && url.host == nil && url.port == nil, "a host without an authority")
        return
    }
    var rebuilt = url.userinfo.map { Array($0) + Array("@".utf8) } ?? []
    rebuilt += host
    if let port = url.port { rebuilt += Array(":\(port)".utf8) }
    expect(authority.elementsEqual(rebuilt), "the parts of the authority of \(url)")
}

private let fileNames = try? URLFileName()

private func checkFileNames(_ url: CanonicalURL) {
    guard let names = fileNames else { return expect(false, "no file names") }
    for isDirectory in [false, true] {
        let test: URLFileName.DirectoryTest? = isDirectory ? { _ in true } : nil
        let path = names.filePath(of: url, isDirectory: test)
        checkComponents(path)
        let back = try? names.url(of: path, at: url, isDirectory: test)
        expect(back == url, "\(url) has a file path that leads to \(back?.description ?? "nothing")")
    }
    let hosts = HostDirectory()
    let directory = hosts.directory(of: url)
    checkComponents(directory)
    let site = try? hosts.site(of: directory + [Array("file".utf8)])
    expect(site?.site.root == url.root, "the folder of \(url) is that of \(site?.site.description ?? "nothing")")
    expect(site?.rest.count == 1, "the folder of \(url) takes more components than it has")
}

/// A file path never leads out of the folder that it is used in.
private func checkComponents(_ path: [[UInt8]]) {
    for name in path {
        expect((1...URLFileName.maximumLength).contains(name.count), "a name of \(name.count) bytes")
        expect(!name.contains(0) && !name.contains(UInt8(ascii: "/")), "a name with a slash or NUL")
        expect(name != Array(".".utf8) && name != Array("..".utf8), "a name that leads elsewhere")
    }
}
