// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

package struct ThreadsOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of threads. (default: one per processor)", valueName: "number"))
    package var threads: Int?

    package var count: Int { AddressSpace.threads(atMost: threads ?? Processors.count) }

    package func validate() throws {
        guard let threads else { return }
        guard (1...1024).contains(threads) else {
            throw ValidationError("--threads takes a number from 1 to 1024, not '\(threads)'")
        }
    }

    package init() {}
}

package enum Processors {
    /// The number of processors that this process may use.
    package static var count: Int { max(1, min(ProcessInfo.processInfo.activeProcessorCount, 1024)) }
}
