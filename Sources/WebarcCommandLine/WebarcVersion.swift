// SPDX-License-Identifier: Apache-2.0

/// The version of the programs, which belong together.
package enum WebarcVersion {
    package static let text = "1.0.0"
}
