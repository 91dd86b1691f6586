// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

package enum Processors {
    /// Processors that this process may use.
    package static var count: Int { max(1, min(ProcessInfo.processInfo.activeProcessorCount, 1024)) }
}
