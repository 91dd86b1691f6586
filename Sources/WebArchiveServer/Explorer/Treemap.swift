// SPDX-License-Identifier: Apache-2.0

/// A treemap that divides a rectangle among weights, each part as square as possible: M. Bruls, K. Huizing, J. van Wijk, "Squarified
/// Treemaps" (2000).
enum Treemap {
    /// A rectangle in any unit; `x` grows to the right and `y` downwards.
    struct Rectangle: Equatable, Sendable {
        /// The position of its upper left corner, and its size.
        var x, y, width, height: Double
    }

    /// Returns the parts of `area` in proportion to `weights`, which are positive and in descending order.
    ///
    /// - Returns: the parts in the order of the weights; none if the sum of the weights is 0.
    static func layout(_ weights: [Double], in area: Rectangle) -> [Rectangle] {
        let total = weights.reduce(0, +)
        guard total > 0 else { return [] }
        let scale = area.width * area.height / total
        var rest = area
        var placed: [Rectangle] = []
        var row: [Double] = []
        for weight in weights {
            let size = weight * scale
            let side = min(rest.width, rest.height)
            if !row.isEmpty, worstRatio(row, side) < worstRatio(row + [size], side) {
                placed += place(row, in: &rest)
                row = []
            }
            row.append(size)
        }
        return placed + place(row, in: &rest)
    }

    /// Returns the greatest ratio of two sides in a row of areas along a side.
    private static func worstRatio(_ row: [Double], _ side: Double) -> Double {
        let sum = row.reduce(0, +)
        guard let largest = row.max(), let smallest = row.min(), smallest > 0, side > 0 else { return .infinity }
        return max(side * side * largest / (sum * sum), sum * sum / (side * side * smallest))
    }

    /// Lays out a row along the shorter side, and removes its area from `rest`.
    private static func place(_ row: [Double], in rest: inout Rectangle) -> [Rectangle] {
        let sum = row.reduce(0, +)
        guard sum > 0 else { return [] }
        let isColumn = rest.width >= rest.height
        let thickness = isColumn ? sum / rest.height : sum / rest.width
        var offset = 0.0
        let placed = row.map { size in
            let length = thickness > 0 ? size / thickness : 0
            defer { offset += length }
            return isColumn
                ? Rectangle(x: rest.x, y: rest.y + offset, width: thickness, height: length)
                : Rectangle(x: rest.x + offset, y: rest.y, width: length, height: thickness)
        }
        if isColumn {
            rest.x += thickness
            rest.width = max(0, rest.width - thickness)
        } else {
            rest.y += thickness
            rest.height = max(0, rest.height - thickness)
        }
        return placed
    }
}
