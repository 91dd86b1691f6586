// SPDX-License-Identifier: Apache-2.0

import Foundation

extension URLError {
    /// Creates an error with a description of the fault and its reason.
    init(_ code: Code, _ url: URL?, _ reason: String, cause: (any Error)? = nil) {
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason]
        if let url { info[NSURLErrorFailingURLErrorKey] = url }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        self.init(code, userInfo: info)
    }
}

extension URLError {
    /// Whether no response arrived, through no fault of the request or this device: a stored one may be served (RFC 9111 section 4.2.4).
    var isUnreachable: Bool {
        let codes: Set<Code> = [
            .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .networkConnectionLost, .notConnectedToInternet,
            .timedOut, .internationalRoamingOff, .callIsActive, .dataNotAllowed, .cannotLoadFromNetwork,
            // The codes of libcurl for many failed connections, and for a network with a captive portal.
            .unknown, .secureConnectionFailed, .badServerResponse,
        ]
        return codes.contains(code)
    }
}
