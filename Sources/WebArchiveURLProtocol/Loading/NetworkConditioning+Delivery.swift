// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension NetworkConditioning {
    /// Applies the effects of rules to an outcome: waits, breaks it off, damages it.
    ///
    /// The body comes whole when the last of its bytes is due. A delay of more than the request's time limit fails with `timedOut`.
    func deliver(_ outcome: LoadOutcome, for request: URLRequest) async -> LoadOutcome {
        guard !isNone else { return outcome }
        guard case .response(var response) = outcome else {
            return await wait(delay, request) ?? outcome
        }
        let isCut = cutOff.map { $0 < response.body.count } ?? false
        if let cutOff, isCut {
            response.body = response.body.subdata(in: response.body.startIndex..<response.body.startIndex + cutOff)
        }
        corruption?.apply(to: &response.body)
        if let failure = await wait(delay, request) { return failure }
        do {
            // Bytes are coming all the time, so that the limit, which is one on silence, does not count.
            try await Task.sleep(for: time(forBytes: response.body.count))
        } catch {
            return .failure(URLError(.cancelled))
        }
        guard isCut else { return .response(response) }
        return .cut(response, URLError(.networkConnectionLost, request.url, "a rule cut off the response"))
    }

    /// Waits; nil when the time has passed.
    private func wait(_ time: Duration, _ request: URLRequest) async -> LoadOutcome? {
        let limit = Duration.seconds(max(0, min(request.timeoutInterval, 1e9)))
        do {
            try await Task.sleep(for: min(time, limit))
        } catch {
            return .failure(URLError(.cancelled))
        }
        return time < limit
            ? nil : .failure(URLError(.timedOut, request.url, "a rule delays the response beyond the time limit"))
    }
}
