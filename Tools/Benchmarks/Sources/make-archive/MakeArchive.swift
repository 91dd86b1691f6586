// SPDX-License-Identifier: Apache-2.0

import SyntheticSite
import SystemPackage
import WebArchive

/// Makes an archive of any number of synthetic entries.
///
///     make-archive ENTRIES packed|recorded PATHS ARCHIVE
@main
enum MakeArchive {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int(arguments[1]),
            let headers = SyntheticSite.Headers(rawValue: arguments[2])
        else { fatalError("usage: make-archive ENTRIES packed|recorded PATHS ARCHIVE") }
        let site = SyntheticSite(paths: contents(ofFile: arguments[3]), headers: headers)
        let writer = try ArchiveWriter(creating: FilePath(arguments[4]), options: .init(level: .fast))
        let clock = ContinuousClock()
        // The exchanges are made outside of the time that writing them takes.
        var adding = Duration.zero
        for start in stride(from: 0, to: count, by: 1000) {
            let exchanges = (start..<min(start + 1000, count)).map { number in
                let body = site.isRedirect(number) ? nil : site.body(number)
                return (
                    ArchiveRequest(url: site.url(number)),
                    site.response(number, bodyLength: UInt64(body?.count ?? 0)), body
                )
            }
            adding += try clock.measure {
                for (request, response, body) in exchanges {
                    try writer.add(request, response: response, body: body.map(writer.addBody))
                }
            }
        }
        let committing = try clock.measure { try writer.commit() }
        print(#"{"adding": \#(adding / .seconds(1)), "committing": \#(committing / .seconds(1))}"#)
    }
}
