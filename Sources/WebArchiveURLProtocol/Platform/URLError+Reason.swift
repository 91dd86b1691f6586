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

extension URLError {
    /// Whether no response came, for no fault of the request's or this device's: what is stored may stand in (RFC 9111 section 4.2.4).
    var isUnreachable: Bool {
        let codes: Set<Code> = [
            .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .networkConnectionLost, .notConnectedToInternet,
            .timedOut, .internationalRoamingOff, .callIsActive, .dataNotAllowed, .cannotLoadFromNetwork,
            // What libcurl says of many a failed connection, and a network that wants a log-in first.
            .unknown, .secureConnectionFailed, .badServerResponse,
        ]
        return codes.contains(code)
    }
}
