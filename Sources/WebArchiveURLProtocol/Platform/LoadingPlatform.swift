// SPDX-License-Identifier: Apache-2.0

// The differences of Foundation between platforms, and nothing else.

import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The abilities of this platform's URL loading system.
enum LoadingPlatform {
    #if canImport(Darwin)
        /// Whether redirects are passed to the session. It calls its delegate and starts again.
        static let handsOverRedirects = true
        static let servesDownloads = true
    #else
        /// Whether redirects are passed to the session. In swift-corelibs-foundation,
        /// `urlProtocol(_:wasRedirectedTo:redirectResponse:)` ends the process.
        static let handsOverRedirects = false
        /// Whether download tasks are served. Such a task needs a file that only Foundation's own protocols can name, and ends the process
        /// without one.
        static let servesDownloads = false
    #endif

    /// The queue for a session whose delegate only stores data; nil for the session's own.
    static var delegateQueue: OperationQueue? {
        #if canImport(Darwin)
            return nil
        #else
            return DelegateQueue()
        #endif
    }

    /// Returns the deliverable header fields of a response.
    ///
    /// On Linux, a session waits forever for a reply to a 401 with a `Basic` challenge, so that field is left out there.
    static func deliverable(_ fields: HeaderFields, status: Int) -> HeaderFields {
        #if canImport(Darwin)
            return fields
        #else
            let words = (fields["WWW-Authenticate"] ?? "").asciiLowercased.split { " ,".contains($0) }
            guard status == 401, words.contains("basic") else {
                return fields
            }
            var fields = fields
            fields.removeAll(named: "WWW-Authenticate")
            return fields
        #endif
    }

    /// The body of an upload task.
    enum UploadBody {
        case data(Foundation.Data)
        case file(URL)
        /// A stream, or a body that Foundation does not show.
        case hidden
    }

    /// Returns the body of an upload task; nil for other tasks, and if the request shows it.
    static func uploadBody(of task: URLSessionTask?) -> UploadBody? {
        guard let task, task is URLSessionUploadTask else { return nil }
        #if canImport(Darwin)
            return nil
        #else
            // swift-corelibs-foundation keeps it in a property that no public one shows.
            guard let known = Mirror(reflecting: task).inherited("knownBody") else { return .hidden }
            switch Mirror(reflecting: known).children.first?.value {
            case let value as Foundation.Data: return .data(value)
            case let value as DispatchData: return .data(Foundation.Data(value))
            case let value as URL: return .file(value)
            default: return .hidden
            }
        #endif
    }
}

extension Mirror {
    /// Returns a stored property, of this class or of a superclass, without the optional around it.
    fileprivate func inherited(_ name: String) -> Any? {
        var mirror: Mirror? = self
        while let current = mirror {
            if let value = current.children.first(where: { $0.label == name })?.value {
                let inner = Mirror(reflecting: value)
                return inner.displayStyle == .optional ? inner.children.first?.value : value
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}

/// A protocol object, whose client may be called only where the loading system itself calls the object.
struct ProtocolReference: @unchecked Sendable {
    // Touched in `startLoading` and inside `onLoadingQueue` alone, and these never run at the same time.
    let object: URLProtocol
    #if canImport(Darwin)
        private let thread = Thread.current
    #endif

    init(_ object: URLProtocol) { self.object = object }

    /// Calls `work` where the loading system calls `startLoading`; do not call it there.
    func onLoadingQueue(_ work: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
            ThreadCall(work).perform(on: thread)
        #else
            LoadingQueue.shared.run(work)
        #endif
    }
}

#if canImport(Darwin)
    /// A closure that a thread calls from its run loop.
    private final class ThreadCall: NSObject {
        private let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        func perform(on thread: Thread) {
            perform(
                #selector(call), on: thread, with: nil, waitUntilDone: false,
                modes: [RunLoop.Mode.default.rawValue, RunLoop.Mode.common.rawValue])
        }

        @objc private func call() { work() }
    }
#else
    /// A queue that makes one delegate call after another, and does no more.
    ///
    /// swift-corelibs-foundation has a body come in pieces of 16 KB. For each a plain queue makes an operation, with its dependencies
    /// and observers, which takes longer than to put the piece aside.
    // Unchecked because the superclass is; has no mutable state.
    private final class DelegateQueue: OperationQueue, @unchecked Sendable {
        private let queue = DispatchQueue(label: "webarc.network")

        override func addOperation(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }
    }

    /// The queue on which swift-corelibs-foundation runs the protocols of all sessions.
    ///
    /// A client may be called only there: its methods read the registry of tasks without a lock. No public name leads to the queue,
    /// but a protocol's `startLoading` runs on it, so a private session with a protocol of its own carries work there.
    private final class LoadingQueue: Sendable {
        static let shared = LoadingQueue()

        private let session: URLSession

        private init() {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [CarrierProtocol.self]
            configuration.urlCache = nil
            session = URLSession(configuration: configuration)
        }

        /// Runs work on the queue. Do not call it on the loading queue itself: no task may be created there.
        func run(_ work: @escaping @Sendable () -> Void) {
            session.dataTask(with: CarrierProtocol.add(work)).resume()
        }
    }

    /// A protocol that runs a closure instead of loading a URL, which states the closure's number.
    private final class CarrierProtocol: URLProtocol {
        private struct Waiting {
            var number = 0
            var work: [Int: @Sendable () -> Void] = [:]
        }

        private static let waiting = Mutex(Waiting())
        private static let prefix = "webarc-carrier:"

        static func add(_ work: @escaping @Sendable () -> Void) -> URL {
            let number = waiting.withLock { waiting in
                waiting.number += 1
                waiting.work[waiting.number] = work
                return waiting.number
            }
            guard let url = URL(string: "\(prefix)\(number)") else {
                preconditionFailure("letters and digits are a URL")
            }
            return url
        }

        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            if let number = request.url.flatMap({ Int($0.absoluteString.dropFirst(Self.prefix.count)) }) {
                Self.waiting.withLock { $0.work.removeValue(forKey: number) }?()
            }
            client?.urlProtocol(self, didFailWithError: URLError(.cancelled))
        }

        override func stopLoading() {}
    }
#endif
