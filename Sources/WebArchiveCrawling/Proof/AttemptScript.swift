// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The script that reports connections of a page for which browsers use no proxy, as soon as the page tries them: WebRTC and WebTransport.
///
/// It is run in each new document before any other script. No connection comes about anyway; but the browser reports no attempt. It also says that there is a network.
enum AttemptScript {
    /// The name of the function that reports an attempt.
    static let reporter = "webarcAttempt"

    static let source = """
        (() => {
          const report = globalThis.\(reporter)
          delete globalThis.\(reporter)
          // As it was for the crawl: a browser whose only device is its own loopback says that it has no network.
          Object.defineProperty(Navigator.prototype, 'onLine', { get: () => true, configurable: true, enumerable: true })
          if (!report) return
          const tell = (kind, address) => report(JSON.stringify({ kind, address: String(address) }))
          const { WebTransport: Transport, RTCPeerConnection: Peer } = globalThis
          if (Transport) globalThis.WebTransport = new Proxy(Transport, {
            construct(target, values, type) {
              tell('WebTransport', values[0])
              return Reflect.construct(target, values, type)
            }
          })
          if (!Peer) return
          const { getConfiguration } = Peer.prototype
          // From here on it looks for ways to its peer.
          for (const name of ['setLocalDescription', 'setRemoteDescription']) {
            const original = Peer.prototype[name]
            const method = { [name](...values) {
              const servers = Reflect.apply(getConfiguration, this, []).iceServers.flatMap(server => server.urls)
              for (const address of servers.length ? servers : ['']) tell('WebRTC', address)
              return Reflect.apply(original, this, values)
            } }[name]
            Object.defineProperty(Peer.prototype, name, { value: method, configurable: true, writable: true })
          }
        })()
        """

    /// Reads the report of an attempt; nil for another text, since a page can call the function as well.
    static func attempt(_ payload: String) -> PageReplay.Attempt? {
        guard payload.utf8.count <= 4096, let value = try? JSONText.value(Array(payload.utf8)),
            let kind = value["kind"]?.text, ["WebRTC", "WebTransport"].contains(kind),
            let address = value["address"]?.text
        else { return nil }
        return PageReplay.Attempt(kind: kind, address: address)
    }
}
