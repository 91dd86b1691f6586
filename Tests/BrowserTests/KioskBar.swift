// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

/// The bar of a kiosk's page, as a visitor finds it. Scripts of the page cannot look into it; the DevTools can.
struct KioskBar {
    let page: TestPage

    /// The elements of the bar that have a `data-do` attribute, by its value: their nodes.
    private func nodes(_ attribute: String, _ value: String) throws -> [JSONValue] {
        let root = try page.command("DOM.getDocument", ["depth": .number(-1), "pierce": true])["root"] ?? .null
        var found: [JSONValue] = []
        func visit(_ node: JSONValue, isInside: Bool) {
            let isInside = isInside || node["shadowRootType"]?.text == "closed"
            let attributes = node["attributes"]?.items.compactMap(\.text) ?? []
            if isInside,
                zip(attributes, attributes.dropFirst()).enumerated().contains(where: {
                    $0.offset % 2 == 0 && $0.element == (attribute, value)
                }), let id = node["backendNodeId"]
            {
                found.append(id)
            }
            for child in (node["shadowRoots"]?.items ?? []) + (node["children"]?.items ?? []) {
                visit(child, isInside: isInside)
            }
        }
        visit(root, isInside: false)
        return found
    }

    /// Left, top, width and height of a part; nil where it is not shown.
    func place(_ attribute: String, _ value: String) throws -> [Double]? {
        guard let node = try nodes(attribute, value).first,
            let box = try? page.command("DOM.getBoxModel", ["backendNodeId": node])["model"]?["border"]?.items,
            box.count == 8
        else { return nil }
        let numbers = box.compactMap(\.number)
        let (width, height) = (numbers[4] - numbers[0], numbers[5] - numbers[1])
        return width > 0 && height > 0 ? [numbers[0], numbers[1], width, height] : nil
    }

    func place(of action: String) throws -> [Double]? { try place("data-do", action) }

    /// Whether the button that leads Home is large enough to be touched, and nothing is painted above it.
    func isInSight() throws -> Bool {
        guard let place = try place(of: "home"), place[2] >= 48, place[3] >= 40 else { return false }
        let home = try nodes("data-do", "home")
        return try [0.2, 0.5, 0.8].allSatisfy { part in
            let node = try page.command(
                "DOM.getNodeForLocation",
                [
                    "x": .number(Int(place[0] + place[2] * part)), "y": .number(Int(place[1] + place[3] / 2)),
                    "ignorePointerEventsNone": true,
                ])
            return home.contains(node["backendNodeId"] ?? .null)
        }
    }

    /// Presses a button where it is; false where none is shown.
    func press(_ action: String) throws -> Bool {
        try place(of: action).map { try press(at: $0) } != nil
    }

    /// Presses the key of the keyboard that has a label.
    func type(_ label: String) throws -> Bool {
        try place("aria-label", label).map { try press(at: $0) } != nil
    }

    /// Presses a button, and holds it; false where none is shown.
    func hold(_ action: String) throws -> Bool {
        try place(of: action).map { try press(at: $0, ["mouseMoved", "mousePressed"]) } != nil
    }

    /// Ends ``hold(_:)``; false where the button is not shown any more.
    func release(_ action: String) throws -> Bool {
        try place(of: action).map { try press(at: $0, ["mouseReleased"]) } != nil
    }

    private func press(
        at place: [Double], _ types: [String] = ["mouseMoved", "mousePressed", "mouseReleased"]
    ) throws {
        for type in types {
            try page.command(
                "Input.dispatchMouseEvent",
                [
                    "type": .string(type), "x": .double(place[0] + place[2] / 2), "y": .double(place[1] + place[3] / 2),
                    "button": "left", "clickCount": 1,
                ])
        }
    }

    /// Presses a button until a condition of the page holds: a page may be busy hiding the bar.
    func press(_ action: String, until condition: String, sourceLocation: SourceLocation = #_sourceLocation) {
        page.wait("\(action) leads to \(condition)", sourceLocation: sourceLocation) {
            // On a page that fills the window it begins folded.
            if try !press(action), try place(of: "home") == nil { _ = try press("fold") }
            return try page.evaluate("new Promise(done => setTimeout(done, 100)).then(() => !!(\(condition)))").isTrue
        }
    }

    func pressKey(_ key: String, code: Int) throws {
        for type in ["rawKeyDown", "char", "keyUp"] where type != "char" || key == "Enter" {
            try page.command(
                "Input.dispatchKeyEvent",
                [
                    "type": .string(type), "key": .string(key), "code": .string(key),
                    "windowsVirtualKeyCode": .number(code), "text": type == "char" ? "\r" : "",
                ])
        }
    }
}
