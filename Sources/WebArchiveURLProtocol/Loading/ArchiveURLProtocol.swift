// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A protocol that serves the requests of a `URLSession` from an archive, and records them into one.
///
/// A response is delivered when it is complete, and to a delegate in one piece: so it can be recorded, and Foundation on Linux requires
/// it. Use a different session for endless streams of events.
///
/// A session uses it once its configuration was passed to one of the `install` methods. Each installation has a subclass of its
/// own, by which a request finds its archive and its policy: no platform shows a protocol more of its session. The class
/// itself accepts no request, so that registering it has no effect.
public class ArchiveURLProtocol: URLProtocol {
    /// The installation's number.
    class var slot: Int { 0 }

    private var load: Load?

    /// Returns whether the installation of this class exists, and serves the scheme of the request.
    public override class func canInit(with request: URLRequest) -> Bool {
        guard let scheme = request.url?.scheme, let loader = SessionLoaders.shared[slot] else { return false }
        return loader.options.schemes.contains(scheme) || loader.options.schemes.contains(scheme.asciiLowercased)
    }

    /// Returns the request unchanged: an archive canonicalises URLs itself.
    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Returns whether two requests are equal in all properties that Foundation compares.
    public override class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

    /// Starts to load, or continues after a suspension. Called by Foundation.
    public override func startLoading() {
        // A task that was suspended starts its protocol again.
        if let load { return load.client.resume() }
        let client = LoadClient(self)
        guard let loader = SessionLoaders.shared[Self.slot] else {
            return client.deliverAtOnce(.failure(URLError(.cancelled, request.url, "the archive was uninstalled")))
        }
        if !LoadingPlatform.servesDownloads, task is URLSessionDownloadTask {
            let reason = "download tasks are not supported on this platform; use a data task"
            return client.deliverAtOnce(.failure(URLError(.unsupportedURL, request.url, reason)))
        }
        let load = Load(loader, client)
        self.load = load
        load.start(request, upload: LoadingPlatform.uploadBody(of: task))
    }

    /// Stops a load, or interrupts it while its task is suspended. Called by Foundation.
    public override func stopLoading() {
        // A task that runs was suspended and is resumed already: its `startLoading` follows.
        switch task?.state {
        case .suspended, .running: load?.client.suspend()
        default: load?.stop()
        }
    }
}
