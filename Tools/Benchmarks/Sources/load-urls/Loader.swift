// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Loads URLs in a session, one after another, as an app does that waits for each response.
struct Loader {
    private let session: URLSession

    init(_ configuration: URLSessionConfiguration) { session = URLSession(configuration: configuration) }

    /// Bytes of the body.
    @discardableResult
    func load(_ url: URL) throws -> Int {
        let result = Mutex<Result<Int, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        session.dataTask(with: url) { data, response, error in
            result.withLock { result in
                let status = (response as? HTTPURLResponse)?.statusCode
                result = status == 200 ? .success(data?.count ?? 0) : .failure(error ?? URLError(.badServerResponse))
            }
            ended.signal()
        }.resume()
        ended.wait()
        return try result.withLock { try $0!.get() }
    }
}

extension ContinuousClock {
    func seconds(_ work: () throws -> Void) rethrows -> Double { try measure(work) / .seconds(1) }
}
