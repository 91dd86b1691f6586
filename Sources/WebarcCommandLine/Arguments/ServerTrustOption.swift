// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import SystemPackage

/// The authorities that certify servers, for commands that connect to them by TLS.
package struct ServerTrustOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of certificates in PEM to trust as authorities of servers, beside those of the system. May be given several times.",
            valueName: "file"),
        completion: .file())
    package var trust: [String] = []

    /// The files of the authorities.
    package var roots: [FilePath] { trust.map { FilePath($0) } }

    package init() {}
}
