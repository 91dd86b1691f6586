// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension URLSessionConfiguration {
    /// Serves the sessions of this configuration from an archive, and records their loads into it.
    ///
    /// ```swift
    /// let archive = try RecordingArchive(path: "news.webarc")
    /// let configuration = URLSessionConfiguration.ephemeral
    /// let installation = configuration.install(archive, policy: .networkFirst)
    /// let session = URLSession(configuration: configuration)
    /// ```
    ///
    /// Call it last: proxies, time limits, cookie storage and additional header fields of the configuration count as of this call.
    /// `urlCache` is turned off, as the archive takes its place. An installation that the configuration had is replaced.
    ///
    /// Waiting exchanges are committed when an app of UIKit or AppKit goes to the background or ends; a program without such a
    /// moment calls ``RecordingArchive/close()``.
    ///
    /// - Parameters:
    ///   - archive: the archive that is searched first, and recorded into. Several installations may share it.
    ///   - bundles: the archives that come with the app, searched in their order after `archive`.
    ///   - policy: the policy for requests whose `cachePolicy`, and that of the configuration, is `useProtocolCachePolicy`; ``ArchivePolicy/http`` by
    ///     default.
    ///   - options: the default options by default.
    /// - Returns: the installation, which need not be kept.
    @discardableResult
    public func install(
        _ archive: RecordingArchive, bundles: [ArchiveReader] = [], policy: ArchivePolicy = .http,
        options: SessionOptions = SessionOptions()
    ) -> ArchiveInstallation {
        install(SessionArchives(recording: archive, bundles: bundles, matching: options.matching), policy, options)
    }

    /// Serves the sessions of this configuration from archives that do not change. It records nothing.
    ///
    /// - Parameters:
    ///   - bundles: the archives, searched in their order; the first with a response wins.
    ///   - policy: the policy; by default the network is never used, ``ArchivePolicy/archiveOnly``.
    ///   - options: the default options by default; those for recording do not count.
    /// - Returns: the installation, which need not be kept.
    @discardableResult
    public func install(
        bundles: [ArchiveReader], policy: ArchivePolicy = .archiveOnly, options: SessionOptions = SessionOptions()
    ) -> ArchiveInstallation {
        install(SessionArchives(recording: nil, bundles: bundles, matching: options.matching), policy, options)
    }

    /// Serves the sessions of this configuration only from a test double.
    ///
    /// - Parameter stub: the stub for every http and https request of these sessions.
    /// - Returns: the installation, which need not be kept.
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

/// An installation of an archive in the configuration of sessions.
///
/// An installation stays until the program ends or ``uninstall()`` is called: sessions may be made with the configuration at any time.
public struct ArchiveInstallation: Sendable {
    let slot: Int

    /// Waits for the refreshes in the background that have begun, so that their responses are recorded: before an archive is closed, say.
    ///
    /// Those that begin meanwhile are not waited for. Returns at once after ``uninstall()``.
    public func finishRefreshing() async { await SessionLoaders.shared[slot]?.finishRefreshing() }

    /// Releases archive and network. Requests of its sessions bypass the archive from now on, and those that have not begun to load fail
    /// with `cancelled`. Loads that have begun continue. A second call does nothing.
    public func uninstall() { SessionLoaders.shared.remove(slot) }
}
