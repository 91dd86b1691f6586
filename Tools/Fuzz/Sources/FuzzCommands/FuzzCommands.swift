// SPDX-License-Identifier: Apache-2.0

import ArchiveMutator
import Foundation
import FuzzSupport

@testable import WebArchive

/// The works of this run: the one that `FUZZ_WORK` names, all of them without it.
private let works: [CommandWork] = {
    let name = ProcessInfo.processInfo.environment["FUZZ_WORK"] ?? ""
    guard !name.isEmpty else { return CommandWork.allCases }
    guard let work = CommandWork(rawValue: name) else { fatalError("no work \(name)") }
    return [work]
}()

/// The work of the commands and of a server on one archive: `info`, `ls`, `unpack`, `compact`, the explorer's pages, and matching.
///
/// Each takes at most five seconds of the processor's time; the run is given a limit of memory.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCommands(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        guard let archive = try? ArchiveReader(bytes: bytes) else { return }
        for work in works {
            within(5, "\(work)") {
                do {
                    try work.run(archive, bytes)
                } catch let error as ArchiveError {
                    expect(error.code != .io && error.code != .invalidArgument, "\(work): \(error)")
                } catch {
                    expect(false, "\(work): \(error)")
                }
            }
        }
    }
}
