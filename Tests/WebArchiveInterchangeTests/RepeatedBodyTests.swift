// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// Bodies that an export would write again and again, although the archive has them once.
@Suite struct RepeatedBodyTests {
    private let imported = ImportedFiles()
    private static let bodyLength = 1 << 20

    /// Writes an archive of some kilobytes with POST requests that share a body of zeros.
    private func writeArchive(_ count: Int) throws -> ArchiveReader {
        let writer = try ArchiveWriter(creating: imported.path)
        let body = try writer.addBody([UInt8](repeating: 0, count: Self.bodyLength))
        for number in 0..<count {
            try writer.add(
                ArchiveRequest(method: "POST", url: "https://a/\(number)"), response: ArchiveResponse(), body: body)
        }
        try writer.commit()
        return try ArchiveReader(path: imported.path)
    }

    @Test func fewBodiesDoNotFillAWARCFile() throws {
        var exporter = WARCExporter(try writeArchive(10))
        try #require(exporter.archive.fileLength * 64 < 2 * UInt64(Self.bodyLength))
        exporter.repeatAllowance = 0
        #expect(throws: ArchiveError.self) { try exporter.write { _ in } }
        exporter.repeatAllowance = UInt64(9 * Self.bodyLength)
        #expect(throws: Never.self) { try exporter.write { _ in } }
    }

    @Test func fewBodiesDoNotFillAHARFile() throws {
        var exporter = HARExporter(try writeArchive(10))
        exporter.repeatAllowance = 0
        #expect(throws: ArchiveError.self) { try exporter.write { _ in } }
        exporter.repeatAllowance = UInt64(9 * Self.bodyLength)
        #expect(throws: Never.self) { try exporter.write { _ in } }
    }
}
