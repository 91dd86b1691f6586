// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A load of one request.
final class Load: Sendable {
    let client: LoadClient
    private let loader: SessionLoader
    private let task = TaskBox()

    init(_ loader: SessionLoader, _ client: LoadClient) {
        self.loader = loader
        self.client = client
    }

    /// Responds at once if that takes neither the network nor time, as for most responses from an archive.
    func start(_ request: URLRequest, upload: LoadingPlatform.UploadBody?) {
        do {
            let body = try RequestBody(request, upload: upload)
            var chain = RequestChain(request, body: body, loader)
            if let outcome = chain.runAtOnce() { return client.deliverAtOnce(outcome) }
            task.set(
                Task(executorPreference: LoadingExecutor.shared) { [client, chain] in
                    var chain = chain
                    client.deliver(await chain.run())
                })
        } catch {
            client.deliverAtOnce(.failure(error))
        }
    }

    func stop() {
        client.stop()
        task.cancel()
    }
}
