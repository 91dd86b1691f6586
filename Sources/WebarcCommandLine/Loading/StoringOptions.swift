// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that select the recorded responses of the network.
package struct StoringOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum length of a body: 64K, 100M, 2G.", valueName: "size"))
    package var maxSize = SizeArgument(bytes: 1 << 30)

    @Flag(
        help:
            "Store Authorization, Cookie and Set-Cookie fields too. Anyone with the archive can then act as you."
    )
    package var keepCredentials = false

    @Flag(help: "Store responses with Cache-Control: no-store too.")
    package var ignoreNoStore = false

    package init() {}

    /// Whether an option that only concerns storing was given.
    package var isUsed: Bool { keepCredentials || ignoreNoStore }
}
