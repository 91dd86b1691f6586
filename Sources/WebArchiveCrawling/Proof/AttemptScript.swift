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
          // A page can replace all that is looked up later, iterators and `toJSON` included: only functions that are known now are called.
          const text = String
          const { apply, construct } = Reflect
          const tell = (kind, address) => report(kind + ' ' + text(address))
          const { WebTransport: Transport, RTCPeerConnection: Peer } = globalThis
          if (Transport) globalThis.WebTransport = new Proxy(Transport, {
            __proto__: null,
            construct(target, values, type) {
              tell('WebTransport', values[0])
              return construct(target, values, type)
            }
          })
          if (!Peer) return
          const { getConfiguration } = Peer.prototype
          const tellServers = servers => {
            if (servers.length === 0) tell('WebRTC', '')
            for (let number = 0; number < servers.length; number++) {
              const { urls } = servers[number]
              if (typeof urls === 'string') tell('WebRTC', urls)
              else for (let place = 0; place < urls.length; place++) tell('WebRTC', urls[place])
            }
          }
          // From here on it looks for ways to its peer.
          for (const name of ['setLocalDescription', 'setRemoteDescription']) {
            const original = Peer.prototype[name]
            const method = { [name](...values) {
              tellServers(apply(getConfiguration, this, []).iceServers)
              return apply(original, this, values)
            } }[name]
            Object.defineProperty(Peer.prototype, name, { value: method, configurable: true, writable: true })
          }
        })()
        """

    /// Reads the report of an attempt: a kind, a space and an address. Another text is an attempt of an unknown kind.
    static func attempt(_ payload: String) -> PageReplay.Attempt {
        let kind = payload.prefix { $0 != " " }
        guard ["WebRTC", "WebTransport"].contains(kind) else {
            return PageReplay.Attempt(kind: "unknown", address: payload)
        }
        return PageReplay.Attempt(kind: String(kind), address: String(payload.dropFirst(kind.count + 1)))
    }
}
