// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The counters of a server since its start: requests by class of status, bytes, misses, connections, replaced archives.
///
/// `/-/metrics` returns them in the text format of Prometheus. Any thread may count; each number is atomic, and they are not read at one
/// moment.
public final class ReplayCounters: Sendable {
    /// A counter, by its index.
    enum Counter: Int, CaseIterable {
        /// The connections: accepted, open now, closed because of the limit, and those that could not be set up.
        case connections, openConnections, refusedConnections, failedConnections
        /// The responses by the class of their status.
        case informational, successful, redirected, clientErrors, serverErrors
        /// The bytes of content, the misses, the errors of reading, those because of signatures, the responses that
        /// ended early, and the reloads.
        case bytes, missing, failed, untrusted, brokenOff, reloads, refusedReloads
    }

    // A cache line each: the threads that count would otherwise slow one another down.
    private let numbers: [PaddedCounter] = Counter.allCases.map { _ in PaddedCounter() }

    /// Creates counters that are all 0.
    public init() {}

    /// Adds to a number, without a lock.
    ///
    /// A negative amount lowers a gauge.
    func count(_ counter: Counter, _ amount: Int = 1) { numbers[counter.rawValue].add(amount) }

    /// Returns a number as it is now; others may count meanwhile.
    subscript(counter: Counter) -> Int { numbers[counter.rawValue].value }

    /// Counts a response by the class of its status (RFC 9110 section 15).
    func count(status: Int) {
        switch status {
        case ..<200: count(.informational)
        case ..<300: count(.successful)
        case ..<400: count(.redirected)
        case ..<500: count(.clientErrors)
        default: count(.serverErrors)
        }
    }

    /// The counters in the text format of Prometheus, version 0.0.4.
    var prometheusText: String {
        var text = ""
        func metric(_ name: String, _ kind: String, _ help: String, _ samples: [(label: String, Counter)]) {
            text += "# HELP webarc_\(name) \(help)\n# TYPE webarc_\(name) \(kind)\n"
            for (label, counter) in samples { text += "webarc_\(name)\(label) \(self[counter])\n" }
        }
        metric(
            "http_requests_total", "counter", "Requests served, by status class.",
            [
                ("{status=\"1xx\"}", .informational), ("{status=\"2xx\"}", .successful),
                ("{status=\"3xx\"}", .redirected), ("{status=\"4xx\"}", .clientErrors),
                ("{status=\"5xx\"}", .serverErrors),
            ])
        metric("http_response_bytes_total", "counter", "Content bytes sent.", [("", .bytes)])
        metric("missing_total", "counter", "Requests that no archive satisfied.", [("", .missing)])
        metric("failed_total", "counter", "Requests that failed because an archive could not be read.", [("", .failed)])
        metric(
            "untrusted_total", "counter", "Failed requests for content that is not signed by the required keys.",
            [("", .untrusted)])
        metric("broken_off_total", "counter", "Responses that ended early.", [("", .brokenOff)])
        metric("connections_total", "counter", "Connections accepted.", [("", .connections)])
        metric("connections", "gauge", "Open connections.", [("", .openConnections)])
        metric(
            "refused_connections_total", "counter", "Connections refused because of the limit.",
            [("", .refusedConnections)])
        metric(
            "failed_connections_total", "counter", "Connections that could not be accepted or set up.",
            [("", .failedConnections)])
        metric(
            "reloads_total", "counter", "Archives replaced while serving.",
            [("{result=\"taken\"}", .reloads), ("{result=\"refused\"}", .refusedReloads)])
        return text
    }
}

/// A counter that shares its cache line with no other.
private final class PaddedCounter: Sendable {
    /// The number, which is read and changed without any order relative to others.
    private let number = Atomic<Int>(0)
    /// The space that keeps other counters away, at least a cache line of 64 bytes.
    private let padding: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

    /// Adds an amount, which wraps around on overflow.
    func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }

    var value: Int { number.load(ordering: .relaxed) }
}
