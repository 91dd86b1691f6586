// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The hosts of a certificate authority, and those that it is refused.
public struct CertificateHosts: Sendable {
    /// In the order of their names, each once.
    public let accepted: [CertificateHost]
    /// Why it may not speak for the others.
    public let refused: [ArchiveError]

    /// Takes hosts as they stand in canonical URLs.
    public init(_ hosts: some Sequence<String>) {
        var (accepted, refused) = (Set<CertificateHost>(), [ArchiveError]())
        for host in Set(hosts).sorted() {
            do throws(ArchiveError) { accepted.insert(try CertificateHost(host)) } catch { refused.append(error) }
        }
        // A name with names below it stands for all below it, those of other owners as well.
        for host in accepted.sorted()
        where host.address == nil && PublicSuffixes.standard.areBelow(host.text)
            && accepted.contains(where: host.isAbove)
        {
            accepted.remove(host)
            refused.append(
                ArchiveError(
                    .invalidArgument,
                    """
                    no certificate authority may speak for '\(host.text)' together with names below it: there are public suffixes \
                    below it; make one of its own with --host \(host.text) --authority FOLDER
                    """))
        }
        self.accepted = accepted.sorted()
        self.refused = refused
    }
}
