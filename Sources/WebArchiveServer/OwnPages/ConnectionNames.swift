// SPDX-License-Identifier: Apache-2.0

/// The names of a server for one connection, whose requests nearly always have one authority.
struct ConnectionNames {
    private let names: ServerNames
    private var last: (authority: String?, place: ServerNames.Place)?

    init(_ names: ServerNames) { self.names = names }

    /// Finds the part of the server that an authority stands for, at the cost of a comparison where it is that of the request before.
    mutating func place(of authority: String?) -> ServerNames.Place {
        if let last, last.authority == authority { return last.place }
        let place = names.place(of: authority)
        last = (authority, place)
        return place
    }
}
