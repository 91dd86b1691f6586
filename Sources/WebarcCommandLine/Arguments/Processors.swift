// SPDX-License-Identifier: Apache-2.0

import Foundation

package enum Processors {
    /// Processors that this process may use.
    package static var count: Int { max(1, min(ProcessInfo.processInfo.activeProcessorCount, 1024)) }
}
