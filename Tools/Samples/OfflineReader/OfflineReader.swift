// SPDX-License-Identifier: Apache-2.0

// Reads articles from a server, and from an archive when the server is gone:
//
//     OfflineReader http://127.0.0.1:8080/ articles.webarc
//
// The server has index.json, [{"path": "tides.txt", "title": "Tides"}, …], and the articles beside it.

import Foundation
import SystemPackage
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@main
struct OfflineReader {
    struct Article: Decodable {
        let path: String
        let title: String
    }

    struct BadStatus: Error {
        let url: URL
        let status: Int
    }

    let base: URL
    let archive: RecordingArchive
    let session: URLSession
    let sources = ResponseSources()

    init(base: URL, archive path: FilePath) throws {
        self.base = base
        archive = try RecordingArchive(path: path)
        var options = SessionOptions()
        options.onResponse = sources.note
        // These two lines are all that makes a session work offline.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(archive, policy: .networkFirst, options: options)
        session = URLSession(configuration: configuration)
    }

    func run() async throws {
        let index = try await load("index.json").data
        for article in try JSONDecoder().decode([Article].self, from: index) {
            let (text, source) = try await load(article.path)
            print("# \(article.title) (from the \(source))\n\n\(String(decoding: text, as: UTF8.self))\n")
        }
        // From here on the loaded responses are in the file, and nothing more is recorded.
        try archive.close()
    }

    private func load(_ path: String) async throws -> (data: Data, source: String) {
        guard let url = URL(string: path, relativeTo: base)?.absoluteURL else { throw URLError(.badURL) }
        let (data, response) = try await session.data(from: url)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw BadStatus(url: url, status: status) }
        return (data, sources[response.url ?? url])
    }

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let base = URL(string: arguments[1]) else {
            return fail("usage: OfflineReader BASE-URL ARCHIVE", 64)
        }
        do {
            try await OfflineReader(base: base, archive: FilePath(arguments[2])).run()
        } catch {
            fail("OfflineReader: \(error)", 1)
        }
    }

    private static func fail(_ message: String, _ status: Int32) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}
