// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import SystemPackage

/// The files of keys and statements that a command has read. None of them is removed as the left file of another run.
///
/// The archives that a command reads are in ``SourceRights``.
package enum InputFiles {
    private static let numbers = Mutex<Set<FileNumber>>([])

    /// Notes a file that is read.
    package static func note(_ path: FilePath) {
        guard let status = FileStatus(of: path), status.isRegular else { return }
        numbers.withLock { _ = $0.insert(status.number) }
    }

    static func contains(_ number: FileNumber) -> Bool { numbers.withLock { $0.contains(number) } }
}
