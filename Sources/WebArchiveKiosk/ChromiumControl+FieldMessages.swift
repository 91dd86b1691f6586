// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveBrowser

extension ChromiumControl {
    /// An element in which the focus is, in a document of which the kiosk's world has an identifier.
    struct FocusedHost: Sendable {
        let world: JSONValue
        let session: String
        var depth = 0
    }

    /// The number of shadow roots in each other beyond which they are not found, and the page is left. Pages have a few.
    private static let maximumDepth = 16

    /// Guards the closed shadow roots in which the focus is, by the kiosk's world: the browser finds those that no script made.
    ///
    /// One after the other in a session, since a frame may be busy; of those that are reported meanwhile, the last.
    func guardRoots(of host: FocusedHost) {
        let isNext = changeBar { bar in
            let isNext = bar.guarded[host.session] == nil
            bar.guarded[host.session] = .some(isNext ? nil : host)
            return isNext
        }
        guard isNext else { return }
        send(
            "Runtime.evaluate",
            [
                "expression": .string("globalThis.\(FieldMessages.focused)?.()"), "contextId": host.world,
                "objectGroup": .string(FieldMessages.guarded),
            ], host.session
        ) { [weak self] in self?.guardRoot(of: $0, host) }
    }

    private func guardRoot(of response: Result<JSONValue, DevToolsPipe.Failure>, _ host: FocusedHost) {
        guard let element = (try? response.get())?["result"]?["objectId"] else { return endGuarding(host) }
        guard host.depth < Self.maximumDepth else {
            if host.session == barWorld?.page { leave(host.session) }
            return endGuarding(host)
        }
        send("DOM.describeNode", ["objectId": element], host.session) { [weak self] response in
            let roots = (try? response.get())?["node"]?["shadowRoots"]?.items ?? []
            guard let root = roots.first(where: { $0["shadowRootType"]?.text == "closed" })?["backendNodeId"] else {
                self?.endGuarding(host)
                return
            }
            self?.guardRoot(root, host)
        }
    }

    private func guardRoot(_ root: JSONValue, _ host: FocusedHost) {
        let group = JSONValue.string(FieldMessages.guarded)
        send(
            "DOM.resolveNode", ["backendNodeId": root, "executionContextId": host.world, "objectGroup": group],
            host.session
        ) { [weak self] response in
            guard let object = (try? response.get())?["object"]?["objectId"] else {
                self?.endGuarding(host)
                return
            }
            self?.send(
                "Runtime.callFunctionOn",
                [
                    "objectId": object, "objectGroup": group,
                    "functionDeclaration": .string("function () { return \(FieldMessages.guarded)(this) }"),
                ], host.session
            ) { [weak self] in
                var inner = host
                inner.depth += 1
                self?.guardRoot(of: $0, inner)
            }
        }
    }

    private func endGuarding(_ host: FocusedHost) {
        send("Runtime.releaseObjectGroup", ["objectGroup": .string(FieldMessages.guarded)], host.session)
        let next = changeBar { bar in
            bar.guarded.removeValue(forKey: host.session) ?? nil
        }
        if let next { guardRoots(of: next) }
    }
}
