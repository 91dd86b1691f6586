// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The parent of the folder that was opened last, held open: at the bottom of a deep tree the path from the source's own folder is long.
final class ParentFolder {
    /// The path of the open folder, relative to ``root``.
    private var path: [UInt8] = []
    /// The descriptor; below zero while there is none.
    private var descriptor: CInt = -1
    /// The source of the open folder; nil before the first one.
    private var root: SourceRoot?

    deinit { letGo() }

    /// Closes the folder, if one is open.
    private func letGo() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Opens a folder below the root of a source. The caller checks that it is the expected one.
    ///
    /// - Returns: a descriptor of the caller's; below zero where the folder cannot be opened, with `errno`.
    func open(_ folder: [UInt8], in root: SourceRoot) -> CInt {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        guard let slash = folder.lastIndex(of: UInt8(ascii: "/")) else {
            return CString.with(folder.isEmpty ? [UInt8(ascii: ".")] : folder) { openat(root.descriptor, $0, flags) }
        }
        if descriptor < 0 || self.root !== root || !path.elementsEqual(folder[..<slash]) {
            letGo()
            (path, self.root) = (Array(folder[..<slash]), root)
            descriptor = CString.with(path) { openat(root.descriptor, $0, flags) }
            guard descriptor >= 0 else { return descriptor }
        }
        return CString.with(Array(folder[(slash + 1)...])) { openat(descriptor, $0, flags) }
    }
}
