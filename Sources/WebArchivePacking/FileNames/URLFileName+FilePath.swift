// SPDX-License-Identifier: Apache-2.0

package import WebArchive

extension URLFileName {
    /// Returns the file path of a URL, relative to the directory of its scheme and authority.
    ///
    /// No component is empty, "." or "..", holds "/" or NUL, or is longer than ``maximumLength``. A long path is
    /// possible: up to one component for each byte of the URL.
    ///
    /// - Parameter isDirectory: a file system cannot hold both "/a" and "/a/b". Where this says that the URL's file
    ///   path is a directory, the file's name is escaped and ends in `^-`. The way back must be given an equivalent
    ///   test: for all URLs of a site, the directories that their file paths need without it.
    package func filePath(of url: CanonicalURL, isDirectory: DirectoryTest? = nil) -> [[UInt8]] {
        let kind = PathTokens(site: url)
        let tokens = kind.split(url)
        let last = tokens.endIndex - 1
        let names = tokens.indices.map { plainName(tokens[$0], isLast: $0 == last) }
        var filePath: [[UInt8]] = []
        filePath.reserveCapacity(names.count)
        var index = 0
        while index < names.endIndex {
            if index != last, let name = names[index], !EscapedName.isMarked(name) {
                filePath.append(name)
                index += 1
                continue
            }
            if let (name, _, end) = escape(
                names, at: index, in: filePath[...], kind: kind, isDirectory: isDirectory)
            {
                // The tree's own names look like an escaped one: an additional mark distinguishes them.
                filePath += EscapedName(text: name.text, level: name.level + 1).components
                index = end
                continue
            }
            let token = tokens[index]
            let name = ordinaryName(token, plainName: names[index])
            if index == last, let isDirectory, isDirectory(filePath + name) {
                filePath += EscapedName(token: token, isBesideDirectory: true).components
            } else {
                filePath += name
            }
            index += 1
        }
        return filePath
    }

    /// Reads the escaped name at `index` if it is one that the mapping makes there.
    ///
    /// - Parameter directory: the file path of the components before `index`.
    func escape(
        _ names: [[UInt8]?], at index: Int, in directory: ArraySlice<[UInt8]>, kind: PathTokens,
        isDirectory: DirectoryTest?
    ) -> (name: EscapedName, token: ArraySlice<UInt8>, end: Int)? {
        guard let (name, end) = EscapedName.read(names, at: index),
            let (token, isBesideDirectory) = name.read()
        else { return nil }
        let isLast = end == names.endIndex
        guard kind.allow(token, isFirst: index == 0, isLast: isLast) else { return nil }
        let plainName = plainName(token, isLast: isLast)
        if isBesideDirectory {
            guard isLast, let isDirectory, isDirectory(Array(directory) + ordinaryName(token, plainName: plainName))
            else {
                return nil
            }
        } else if plainName != nil {
            return nil
        }
        return (name, token, end)
    }

    /// Returns the name of a piece of URL if no directory conflicts with it.
    private func ordinaryName(_ token: ArraySlice<UInt8>, plainName: [UInt8]?) -> [[UInt8]] {
        plainName.map { [$0] } ?? EscapedName(token: token).components
    }
}
