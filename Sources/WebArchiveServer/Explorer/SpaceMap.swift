// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A treemap of folders, each divided by type. It is hidden from screen readers: the tables have the same numbers.
struct SpaceMap {
    let survey: SpaceSurvey

    /// The shape for which the parts are made square: width by height.
    private static let area = Treemap.Rectangle(x: 0, y: 0, width: 160, height: 100)

    /// The map with its legend; empty without stored content. Parts without stored content are left out.
    var html: String {
        var parts = survey.parts.filter { $0.amount.stored > 0 }
        if survey.otherParts.stored > 0 {
            parts.append(
                SpaceSurvey.Part(
                    prefix: survey.prefix, amount: survey.otherParts, groups: [.other: survey.otherParts.stored]))
            parts.sort { $0.amount.stored > $1.amount.stored }
        }
        guard !parts.isEmpty else { return "" }
        let places = Treemap.layout(parts.map { Double($0.amount.stored) }, in: Self.area)
        let cells = zip(parts, places).map(cell)
        let used = ContentGroup.allCases.filter { group in parts.contains { ($0.groups[group] ?? 0) > 0 } }
        let key = used.map {
            "<li><svg aria-hidden=\"true\"><rect class=\"\($0)\" width=\"100%\" height=\"100%\"/></svg> \($0.name)</li>"
        }
        return """
            <svg class="map" aria-hidden="true">\(cells.joined())</svg>
            <ul class="key" aria-label="Colours of the map">\(key.joined())</ul>

            """
    }

    /// Returns one part: a group of rectangles by type, the largest first, with a title, a frame, and a link to the
    /// folder.
    private func cell(_ part: SpaceSurvey.Part, _ place: Treemap.Rectangle) -> String {
        let groups = part.groups.filter { $0.value > 0 }.sorted {
            ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue)
        }
        let inner = Treemap.layout(groups.map { Double($0.value) }, in: place)
        let rectangles = zip(groups, inner).map { group, rectangle in
            "<rect class=\"cell \(group.key)\" \(Self.place(rectangle))/>"
        }
        let name = part.prefix == survey.prefix ? "files here" : String(part.prefix.dropFirst(survey.prefix.count))
        let text = "\(ArchivedText.html(name, atMost: 100)), \(SizeFormat.bytes(part.amount.stored))"
        // A label only where some of it can be read.
        let isLarge = place.width > 16 && place.height > 6
        let label =
            isLarge
            ? "<svg \(Self.place(place))><rect class=\"label\" width=\"100%\" height=\"1.5em\"/><text x=\"4\" y=\"1.1em\">\(text)</text></svg>"
            : ""
        let content = "<title>\(text)</title>\(rectangles.joined())<rect class=\"frame\" \(Self.place(place))/>\(label)"
        guard part.prefix != survey.prefix else { return "<g>\(content)</g>" }
        // The tables have the same links, so that a keyboard need not pass all of these.
        return "<a tabindex=\"-1\" href=\"\(SpacePage.link(part.prefix))\">\(content)</a>"
    }

    /// Returns the attributes of a rectangle as percentages of the map, to four decimals, so that the map takes any
    /// size.
    private static func place(_ rectangle: Treemap.Rectangle) -> String {
        let values = [
            ("x", rectangle.x / area.width), ("y", rectangle.y / area.height), ("width", rectangle.width / area.width),
            ("height", rectangle.height / area.height),
        ]
        return values.map { "\($0)=\"\(($1 * 1_000_000).rounded() / 10_000)%\"" }.joined(separator: " ")
    }
}
