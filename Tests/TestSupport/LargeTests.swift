// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The tests that take minutes in all, which `Tools/test --large` runs as well.
public enum LargeTests {
    /// Whether they run: if the environment has `WEBARC_TEST_LARGE`.
    public static let areEnabled = ProcessInfo.processInfo.environment["WEBARC_TEST_LARGE"] != nil
}
