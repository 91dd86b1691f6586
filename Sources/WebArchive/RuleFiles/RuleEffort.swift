// SPDX-License-Identifier: Apache-2.0

/// A limit on the steps of matching the files of a site with its rules.
///
/// One match is bounded by the lengths of pattern and path. A folder can be made in which ten thousand patterns take as long as that with
/// each of thousands of files, or a rule adds thousands of fields to each of them.
package final class RuleEffort {
    /// The number of steps of a whole folder: some seconds. A rule that does not match takes one step, so that 100,000 files and
    /// 2,000 rules fit.
    package static let limit = 1 << 28

    private var stepsLeft: Int

    /// Creates an effort for one thread.
    ///
    /// - Parameter steps: the number of bytes and parts of patterns that may be compared.
    package init(steps: Int = limit) { stepsLeft = steps }

    /// Whether the limit was exceeded. Rules have not matched since.
    package var isExceeded: Bool { stepsLeft < 0 }

    /// Takes steps, even beyond the limit.
    package func take(_ steps: Int) { stepsLeft -= steps }
}
