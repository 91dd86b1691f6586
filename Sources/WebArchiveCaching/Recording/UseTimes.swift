// SPDX-License-Identifier: Apache-2.0

/// The times of the last requests for each key.
struct UseTimes {
    private(set) var times: [RequestKey: ArchiveTime]
    /// Whether there are changes since this was last set to false.
    var isChanged = false
    /// Whether all of them are of captures that are stored, or were when noted.
    private(set) var isChecked: Bool

    /// - Parameter times: the times of a file, which may name anything.
    init(_ times: [RequestKey: ArchiveTime] = [:]) {
        self.times = times
        isChecked = times.isEmpty
    }

    subscript(key: RequestKey) -> ArchiveTime? { times[key] }

    mutating func note(_ key: RequestKey, at time: ArchiveTime) {
        if let known = times[key], known >= time { return }
        times[key] = time
        isChanged = true
    }

    /// Removes the times of captures that are not stored any more.
    mutating func keep(where isKept: (RequestKey) -> Bool) {
        let count = times.count
        times = times.filter { isKept($0.key) }
        if times.count != count { isChanged = true }
        isChecked = true
    }
}
