// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
package import SystemPackage
package import WebArchive

/// A network namespace of Linux whose only device is its own loopback: no packet of a browser in it reaches any network.
///
/// A server outside responds to the browser through sockets that listen inside. The namespace exists as long as this value or a process in it.
package final class NetworkNamespace: Sendable {
    /// The maximum number of sockets.
    package static let maximumSocketCount = 16

    /// The sockets that listen at 127.0.0.1 inside, each at a free port of its own. Their user closes them.
    package let sockets: [FileDescriptor]

    #if os(Linux)
        /// The numbers of the descriptors, for the child.
        let numbers: webarchive_namespace
    #endif

    /// Makes a namespace.
    ///
    /// An ordinary user needs user namespaces, which some systems and containers refuse.
    ///
    /// - Parameter count: the number of sockets, up to ``maximumSocketCount``.
    /// - Throws: `io` if the system refuses it, or has no namespaces.
    package init(sockets count: Int) throws(ArchiveError) {
        precondition((0...Self.maximumSocketCount).contains(count))
        #if os(Linux)
            var numbers = webarchive_namespace()
            let error = webarchive_make_namespace(&numbers, Int32(count))
            guard error == 0 else {
                throw ArchiveError(.io, "cannot make a network namespace", cause: Errno(rawValue: error))
            }
            self.numbers = numbers
            sockets = withUnsafeBytes(of: numbers.sockets) { bytes in
                bytes.bindMemory(to: Int32.self).prefix(count).map { FileDescriptor(rawValue: $0) }
            }
        #else
            throw ArchiveError(.io, "this system has no network namespaces")
        #endif
    }

    #if os(Linux)
        deinit {
            for number in [numbers.user, numbers.network] where number >= 0 {
                try? FileDescriptor(rawValue: number).close()
            }
        }
    #endif
}
