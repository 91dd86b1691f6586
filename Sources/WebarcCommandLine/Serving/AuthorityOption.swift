// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import SystemPackage

/// The option for the folder of this device's certificate authority.
package struct AuthorityOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the device's certificate authority. (default: webarc in the user's state directory)",
            valueName: "folder"),
        completion: .directory)
    package var authority: String?

    package var folder: FilePath { authority.map { FilePath($0) } ?? StateFolder.standard }

    package init() {}
}
