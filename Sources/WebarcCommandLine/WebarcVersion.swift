// SPDX-License-Identifier: Apache-2.0

/// The common version of the programs.
package enum WebarcVersion {
    package static let text = "1.0.0"
}
