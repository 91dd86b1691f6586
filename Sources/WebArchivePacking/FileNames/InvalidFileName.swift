// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A reason why a relative file path represents no URL.
package enum InvalidFileName: Error, Hashable, Sendable {
    /// The path has no component.
    case emptyPath
    /// A component is empty, "." or "..", or contains "/" or NUL.
    case illegalComponent
    /// A component is longer than ``URLFileName/maximumLength`` bytes.
    case tooLong
    /// The index name is not legal, or begins with the escape mark.
    case illegalIndexName
    /// A host directory's name is not one of ``HostDirectory``.
    case unknownHostDirectory
    /// The path is legal but its URL is not, in practice because it is too long.
    case url(InvalidURL)
}

extension InvalidFileName: CustomStringConvertible {
    /// A message for people.
    package var description: String {
        switch self {
        case .emptyPath: "the file path is empty"
        case .illegalComponent: "a file path component is empty, \".\" or \"..\", or contains \"/\" or NUL"
        case .tooLong: "a file path component exceeds \(URLFileName.maximumLength) bytes"
        case .illegalIndexName: "the index file name is invalid"
        case .unknownHostDirectory: "the directory name is not that of a host"
        case .url(let reason): "the file path does not form a URL: \(reason)"
        }
    }
}
