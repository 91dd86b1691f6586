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
        let adding = try clock.measure {
            for number in 0..<count {
                let body = site.isRedirect(number) ? nil : try writer.addBody(site.body(number))
                try writer.add(
                    ArchiveRequest(url: site.url(number)),
                    response: site.response(number, bodyLength: body?.length ?? 0),
                    body: body)
            }
        }
        let committing = try clock.measure { try writer.commit() }
        print(#"{"adding": \#(adding / .seconds(1)), "committing": \#(committing / .seconds(1))}"#)
    }
}
