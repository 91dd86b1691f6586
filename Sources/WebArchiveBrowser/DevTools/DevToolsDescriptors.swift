// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
package import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The two pipes of ``DevToolsPipe``: the browser reads from its descriptor 3, and writes to 4.
package struct DevToolsDescriptors {
    /// The end from which this process reads.
    package let reading: FileDescriptor
    /// The end to which this process writes.
    package let writing: FileDescriptor
    /// The ends that become 3 and 4, in this order.
    package let childEnds: [FileDescriptor]

    /// Opens two pipes, four descriptors that no child inherits by default.
    ///
    /// - Throws: `io`.
    package init() throws(ArchiveError) {
        do {
            let toBrowser = try FileDescriptor.pipe()
            let fromBrowser = try FileDescriptor.pipe()
            writing = try Self.moved(toBrowser.writeEnd)
            reading = try Self.moved(fromBrowser.readEnd)
            childEnds = [try Self.moved(toBrowser.readEnd), try Self.moved(fromBrowser.writeEnd)]
        } catch {
            throw ArchiveError(.io, "cannot open pipes to the browser", cause: error)
        }
    }

    /// Closes the ends of the child; call it once the child has them.
    package func closeChildEnds() { for descriptor in childEnds { try? descriptor.close() } }

    /// Closes the ends of this process; call it if there is no child to communicate with.
    package func closeOwnEnds() { for descriptor in [reading, writing] { try? descriptor.close() } }

    /// Moves a descriptor beyond the numbers of the child, so that none overwrites another, and closes it on exec.
    private static func moved(_ descriptor: FileDescriptor) throws -> FileDescriptor {
        let number = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 10)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        try descriptor.close()
        return FileDescriptor(rawValue: number)
    }
}
