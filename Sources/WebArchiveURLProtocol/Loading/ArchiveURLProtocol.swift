// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A protocol that answers the requests of a `URLSession` from an archive, and records them into one.
///
/// A response is delivered when all of it is here, and to a delegate in one piece: so it can be recorded, and Foundation on Linux knows no
/// better. Endless streams of events are for another session.
///
/// A session uses it once its configuration was handed to one of the `install` methods. Each installation has a class of its own below this
/// one, by which a request finds its archive and its policy: a protocol sees nothing else of its session on every platform. The class
/// itself takes no request, so that registering it does nothing.
public class ArchiveURLProtocol: URLProtocol {
    /// The installation's number.
    class var slot: Int { 0 }

    private var load: Load?

    /// Returns whether the installation of this class is there, and answers the scheme of the request.
    public override class func canInit(with request: URLRequest) -> Bool {
        guard let scheme = request.url?.scheme, let loader = SessionLoaders.shared[slot] else { return false }
        return loader.options.schemes.contains(scheme) || loader.options.schemes.contains(scheme.asciiLowercased)
    }

    /// Returns the request as it is: an archive canonicalises URLs itself.
    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Returns whether two requests are equal, in all that Foundation compares.
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
            let reason = "a protocol cannot answer a download task on this platform; use a data task"
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
