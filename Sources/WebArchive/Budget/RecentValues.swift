// SPDX-License-Identifier: Apache-2.0

/// A cache of the most recently used values: at least ``capacity`` of them, and at most twice as many.
package struct RecentValues<Key: Hashable, Value> {
    /// The minimum number of values that are kept.
    package let capacity: Int
    private var recent: [Key: Value] = [:]
    /// The values that were used before `recent` began.
    private var older: [Key: Value] = [:]

    /// Creates an empty cache.
    package init(capacity: Int) { self.capacity = capacity }

    /// The value of a key; nil if it is unknown, or was used too long ago. An access keeps it longer.
    ///
    /// Costs one or two lookups in a dictionary, and no order is kept.
    package subscript(key: Key) -> Value? {
        mutating get {
            if let value = recent[key] { return value }
            guard let value = older[key] else { return nil }
            self[key] = value
            return value
        }
        set {
            if recent.count >= capacity { (recent, older) = ([:], recent) }
            recent[key] = newValue
        }
    }
}

extension RecentValues: Sendable where Key: Sendable, Value: Sendable {}
