// SPDX-License-Identifier: Apache-2.0

import Foundation

extension URLError {
    /// An error that tells what failed and why.
    init(_ code: Code, _ url: URL?, _ reason: String, cause: (any Error)? = nil) {
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason]
        if let url { info[NSURLErrorFailingURLErrorKey] = url }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        self.init(code, userInfo: info)
    }
}
