// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

enum Environment {
    /// A variable that Tools/benchmark sets.
    static subscript(_ name: String) -> String {
        guard let value = getenv(name) else { fatalError("\(name) is not set: run Tools/benchmark --rows library") }
        return String(cString: value)
    }
}
