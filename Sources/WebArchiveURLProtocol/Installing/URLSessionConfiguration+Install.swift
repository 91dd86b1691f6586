// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension URLSessionConfiguration {
    /// Answers the sessions that are made with this configuration from an archive, and records into it what they load.
    ///
    /// Call it last: proxies, time limits, cookie storage and additional header fields of the configuration count as they are now.
    /// `urlCache` is turned off, as the archive takes its place.
    ///
    /// - Parameters:
    ///   - archive: asked first, and recorded into.
    ///   - bundles: archives that come with the app, asked in their order where `archive` has nothing.
    ///   - policy: for requests whose `cachePolicy` is `useProtocolCachePolicy`.
    @discardableResult
    public func install(
        _ archive: RecordingArchive, bundles: [ArchiveReader] = [], policy: ArchivePolicy = .http,
        options: SessionOptions = SessionOptions()
    ) -> ArchiveInstallation {
        install(SessionArchives(recording: archive, bundles: bundles, matching: options.matching), policy, options)
    }

    /// Answers the sessions that are made with this configuration from archives that stay as they are.
    ///
    /// - Parameters:
    ///   - bundles: asked in their order; the first that has a response gives it.
    ///   - policy: by default the network is never touched.
    @discardableResult
    public func install(
        bundles: [ArchiveReader], policy: ArchivePolicy = .archiveOnly, options: SessionOptions = SessionOptions()
    ) -> ArchiveInstallation {
        install(SessionArchives(recording: nil, bundles: bundles, matching: options.matching), policy, options)
    }

    /// Has the sessions that are made with this configuration answered by a test double, and by nothing else.
    @discardableResult
    public func install(_ stub: Stub) -> ArchiveInstallation {
        install(
            SessionArchives(recording: nil, bundles: [], matching: .exactOnly), .archiveOnly, SessionOptions(), stub)
    }

    private func install(
        _ archives: SessionArchives, _ policy: ArchivePolicy, _ options: SessionOptions, _ stub: Stub? = nil
    ) -> ArchiveInstallation {
        let others = (protocolClasses ?? []).filter { !($0 is ArchiveURLProtocol.Type) }
        protocolClasses = others
        guard let own = copy() as? URLSessionConfiguration else { preconditionFailure("a copy is of the same class") }
        let loader = SessionLoader(archives, policy: policy, options: options, stub: stub, configuration: own)
        let (slot, protocolClass) = SessionLoaders.shared.add(loader)
        // The first class that takes a request has it.
        protocolClasses = [protocolClass] + others
        urlCache = nil
        return ArchiveInstallation(slot: slot)
    }
}

/// An archive in the configuration of sessions.
///
/// An installation stays until the program ends: sessions may be made with the configuration at any time.
public struct ArchiveInstallation: Sendable {
    let slot: Int

    /// Waits for the refreshes in the background that have begun, so that what they bring is recorded: before an archive is closed, say.
    public func finishRefreshing() async { await SessionLoaders.shared[slot]?.finishRefreshing() }

    /// Lets go of archive and network. Requests of its sessions go past the archive from now on, and those that have not begun
    /// to load fail with `cancelled`.
    public func uninstall() { SessionLoaders.shared.remove(slot) }
}
