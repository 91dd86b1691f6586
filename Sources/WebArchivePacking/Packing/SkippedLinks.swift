// SPDX-License-Identifier: Apache-2.0

/// The error of symbolic links that a packer would skip, if ``ArchivePacker/Options/requiresAllLinks`` forbids it.
///
/// It is the ``ArchiveError/cause`` of the error that names the first of them.
public struct SkippedLinks: Error, CustomStringConvertible {
    /// The warnings for each of the first 100 links, in the order in which the sources were read, and a last one for all others; at least
    /// one.
    public let warnings: [PackingWarning]

    /// The links with their paths and targets, separated by commas.
    public var description: String { warnings.map(\.description).joined(separator: ", ") }
}

/// A symbolic link that is not followed.
struct SkippedLink: Sendable {
    /// The reason for not following a link.
    enum Fault: Sendable {
        /// The link leads out of its source, its target cannot be resolved, or it leads to a folder above it or into a loop of links.
        case outside, broken, circle

        /// The code of a warning about it.
        var code: PackingWarning.Code {
            switch self {
            case .outside: .linkOutside
            case .broken: .brokenLink
            case .circle: .linkInCircle
            }
        }
    }

    let fault: Fault
    /// The whole path, for people.
    let path: String
    /// The target of the link, as far as it is known.
    let target: String

    /// The link with its target, as a noun phrase without its path.
    private var text: String {
        switch fault {
        case .outside: "symbolic link that leads out of the folder (to \(target))"
        case .broken: "broken symbolic link (to \(target))"
        case .circle: "symbolic link that leads in a loop (to \(target))"
        }
    }

    /// Creates a warning.
    ///
    /// - Parameter consequence: the treatment of the link.
    func warning(_ consequence: String) -> PackingWarning {
        PackingWarning(fault.code, text + consequence, path: path)
    }
}
