// SPDX-License-Identifier: Apache-2.0

#if canImport(WebKit) && !os(watchOS)
    public import WebArchiveReplay
    public import WebKit

    /// A scheme handler that serves a `WKWebView` from archives, by the same rules as `webarc serve --proxy`.
    ///
    /// ```swift
    /// let site = try ReplaySite([ArchiveReader(path: "site.webarc")])
    /// let configuration = WKWebViewConfiguration()
    /// configuration.setArchive(ReplayResponder(site))
    /// let view = WKWebView(frame: .zero, configuration: configuration)
    /// view.load(URLRequest(url: ArchiveScheme.viewURL(of: URL(string: site.mainPage.description)!)!))
    /// ```
    ///
    /// It has not been built on Apple's platforms yet; it is compiled against declarations of WebKit's protocols.
    @MainActor
    public final class ArchiveSchemeHandler: NSObject, WKURLSchemeHandler {
        private let responder: ReplayResponder
        private var loads: [ObjectIdentifier: Task<Void, Never>] = [:]

        /// Creates a handler for ``ArchiveScheme/names``.
        ///
        /// - Parameter responder: any number of handlers, and a server beside them, may use one.
        public init(_ responder: ReplayResponder) {
            self.responder = responder
            super.init()
        }

        /// Begins to load a URL. Responses are made on other threads, and their content is read block by block.
        ///
        /// A URL of a different scheme fails with `URLError.unsupportedURL`. Content that proves to be damaged on the way fails with the
        /// `ArchiveError`.
        public func webView(_ webView: WKWebView, start task: any WKURLSchemeTask) {
            let request = task.request
            guard let url = request.url,
                let load = SchemeLoad(
                    responder, method: request.httpMethod ?? "GET", url: url,
                    fields: request.allHTTPHeaderFields ?? [:], body: request.httpBody)
            else { return task.didFailWithError(URLError(.unsupportedURL)) }
            loads[ObjectIdentifier(task)] = Task { await deliver(load, at: url, to: task) }
        }

        /// Ends a load that WebKit has cancelled.
        public func webView(_ webView: WKWebView, stop task: any WKURLSchemeTask) {
            loads.removeValue(forKey: ObjectIdentifier(task))?.cancel()
        }

        /// Delivers a load to a task. A stopped task must not be called again: WebKit then raises an exception. Between a check and the call
        /// after it nothing else runs on the main actor.
        private func deliver(_ load: SchemeLoad, at url: URL, to task: any WKURLSchemeTask) async {
            do {
                let head = await load.start()
                guard !Task.isCancelled else { return }
                guard
                    let response = HTTPURLResponse(
                        url: url, statusCode: head.status, httpVersion: "HTTP/1.1", headerFields: head.fields)
                else { throw URLError(.badServerResponse) }
                task.didReceive(response)
                while let piece = try await load.next() {
                    guard !Task.isCancelled else { return }
                    task.didReceive(piece)
                }
                guard !Task.isCancelled else { return }
                task.didFinish()
            } catch {
                guard !Task.isCancelled else { return }
                task.didFailWithError(error)
            }
            loads[ObjectIdentifier(task)] = nil
        }
    }

    extension WKWebViewConfiguration {
        /// Serves the URLs of ``ArchiveScheme`` from archives, in each web view with this configuration.
        ///
        /// - Precondition: no other handler is set for ``ArchiveScheme/names``.
        @MainActor
        public func setArchive(_ responder: ReplayResponder) {
            let handler = ArchiveSchemeHandler(responder)
            for name in ArchiveScheme.names { setURLSchemeHandler(handler, forURLScheme: name) }
        }
    }
#endif
