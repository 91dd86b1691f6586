// SPDX-License-Identifier: Apache-2.0

import Logging
import SystemPackage
import WebArchive
import WebArchiveBrowser
import WebArchiveServer

/// The lanes of a proof, in a network namespace if the system permits one, and otherwise on this machine.
final class ReplayGround: Sendable {
    /// The lanes for pages.
    let lanes: [ReplayLane]
    /// The lane for requests of the browser's own, such as for updates of its parts, which are not those of a page.
    let ownLane: ReplayLane
    /// The namespace in which the browser must run; nil without one.
    let namespace: NetworkNamespace?
    /// The reason why there is no namespace; nil if there is one.
    let refusal: String?

    /// The maximum number of lanes for pages.
    static let maximumCount = NetworkNamespace.maximumSocketCount - 1

    /// Starts a number of lanes.
    ///
    /// - Parameter permitsNamespace: whether to try a namespace; false is for tests.
    /// - Throws: as starting a lane does.
    init(
        _ count: Int, of library: ArchiveLibrary, authority: DeviceAuthority, permitsNamespace: Bool = true,
        logger: Logger
    ) throws(ArchiveError) {
        var namespace: NetworkNamespace?
        var refusal: String?
        if permitsNamespace {
            do throws(ArchiveError) {
                namespace = try NetworkNamespace(sockets: count + 1)
            } catch {
                refusal = "\(error)"
            }
        } else {
            refusal = "a namespace was not asked for"
        }
        (self.namespace, self.refusal) = (namespace, refusal)
        var lanes: [ReplayLane] = []
        do throws(ArchiveError) {
            for number in 0...count {
                lanes.append(
                    try ReplayLane(
                        library, authority: authority, socket: namespace?.sockets[number], logger: logger))
            }
        } catch {
            for lane in lanes { lane.stop() }
            throw error
        }
        ownLane = lanes.removeLast()
        self.lanes = lanes
    }

    /// Ends the lanes; call it once the browser has ended.
    func stop() { for lane in lanes + [ownLane] { lane.stop() } }
}
