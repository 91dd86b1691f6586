// SPDX-License-Identifier: Apache-2.0

package import WebArchive
package import WebArchiveBrowser
package import WebArchiveServer

extension TrustedAuthority {
    /// Creates the browser's form of the proxy's authority.
    ///
    /// - Throws: `invalidArgument` if its certificate cannot be written.
    package init(_ authority: DeviceAuthority) throws(ArchiveError) {
        do {
            self.init(certificate: try authority.certificateText(), publicKeyPin: try authority.publicKeyPin)
        } catch {
            throw ArchiveError(.invalidArgument, "cannot encode the authority's certificate", cause: error)
        }
    }
}
