// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The accepted and refused hosts of a certificate authority.
public struct CertificateHosts: Sendable {
    /// The hosts that it may certify, in the order of their texts, each once; at most 1,000.
    public let accepted: [CertificateHost]
    /// The reasons why it may not certify the others, one for each: `invalidArgument`.
    public let refused: [ArchiveError]

    /// Takes hosts in the form of canonical URLs, sorts them, and removes duplicates.
    ///
    /// A name is also refused if it has a name below it among the hosts and a public suffix below it: in a certificate it would represent
    /// all names below.
    ///
    /// - Parameter hosts: the hosts, from `ReplaySite.hosts()` say.
    /// - Throws: `limitExceeded` if more than 1,000 are accepted, or if their texts have more than 40,000 bytes in total.
    public init(_ hosts: some Sequence<String>) throws(ArchiveError) {
        var (accepted, refused) = (Set<CertificateHost>(), [ArchiveError]())
        for host in Set(hosts).sorted() {
            do throws(ArchiveError) { accepted.insert(try CertificateHost(host)) } catch { refused.append(error) }
        }
        // A name with names below it represents all below it, those of other owners as well.
        for host in Self.hostsAboveOthers(accepted).sorted() where PublicSuffixes.standard.areBelow(host.text) {
            accepted.remove(host)
            refused.append(
                ArchiveError(
                    .invalidArgument,
                    """
                    cannot certify '\(host.text)' together with names below it: there are public suffixes \
                    below it
                    """, recovery: .ownAuthority))
        }
        guard accepted.count <= Self.maximumCount else {
            throw ArchiveError(
                .limitExceeded,
                """
                \(accepted.count) hosts exceed the limit of \(Self.maximumCount); clients refuse longer certificates
                """, recovery: .nameHosts)
        }
        let length = accepted.reduce(0) { $0 + $1.text.utf8.count }
        guard length <= Self.maximumLength else {
            throw ArchiveError(
                .limitExceeded,
                "the host names have \(length) bytes in total; the limit is \(Self.maximumLength)",
                recovery: .nameHosts)
        }
        self.accepted = accepted.sorted()
        self.refused = refused
    }

    /// The maximum number of hosts: OpenSSL reads chains of 100 KiB, and this many names of common length take half of that.
    static let maximumCount = 1000
    /// The length of all names together, in bytes.
    static let maximumLength = 40_000

    /// Returns names with another one below them.
    static func hostsAboveOthers(_ hosts: some Sequence<CertificateHost>) -> Set<CertificateHost> {
        var names: [Substring: CertificateHost] = [:]
        for host in hosts where host.address == nil { names[host.text[...]] = host }
        var found: Set<CertificateHost> = []
        for name in names.keys {
            var parent = name
            while let dot = parent.firstIndex(of: ".") {
                parent = parent[parent.index(after: dot)...]
                if let host = names[parent] { found.insert(host) }
            }
        }
        return found
    }
}
