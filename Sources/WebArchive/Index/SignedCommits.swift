// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The signed commits of an archive, and the proofs of the parts that their trees cover. Specification section 13.4.
struct SignedCommits {
    /// A commit with a valid tree and statement, by any signer.
    struct Signed {
        let number: Int
        let statement: SignedStatement
    }

    /// A commit that enough keys signed, the trusted ones of them, and the proofs of the parts that it covers.
    typealias Found = (signed: Signed, signers: Set<ArchivePublicKey>, proofs: [CommitProof])

    private let chain: CommitChain
    private let source: any ByteSource
    /// The number of rows of `Block` of each commit, by its class table, which is proved when it is read again.
    private let blockCounts: [Int]
    /// The number of rows of all classes of each commit.
    let rowCounts: [Int]
    /// The signed commits, the oldest first.
    private let signed: [Signed]
    /// The proofs of the oldest signed commits, as far as they were needed: each is independent of later commits.
    private var proofs: [CommitProof] = []
    private var provedCount = 0
    /// The fault of the first signed commit without proof.
    private var failure: ArchiveError?

    init(_ chain: CommitChain, in source: any ByteSource) throws(ArchiveError) {
        (self.chain, self.source) = (chain, source)
        var (blockCounts, rowCounts, signed) = ([Int](), [Int](), [Signed]())
        for (number, commit) in chain.commits.enumerated() {
            let classes = try ClassTable(of: commit.sections, in: source)
            blockCounts.append(Int(classes[.block]?.rowCount ?? 0))
            rowCounts.append(classes.tables.values.reduce(0) { $0 + Int($1.rowCount) })
            if let statement = try SignedStatement(of: commit.sections, commit.footer, in: source) {
                signed.append(Signed(number: number, statement: statement))
            }
        }
        (self.blockCounts, self.rowCounts, self.signed) = (blockCounts, rowCounts, signed)
    }

    /// Finds the newest commit that enough trusted keys signed and that is proved to its beginning.
    ///
    /// - Throws: `untrusted` if there is none.
    mutating func newestTrusted(by trust: ArchiveTrust) throws(ArchiveError) -> Found {
        var signers = SignerCount(trust)
        var fault: ArchiveError?
        for (place, one) in signed.enumerated().reversed() {
            if !signers.isEmpty, try !leads(from: signed[place + 1], to: one) { signers.removeAll() }
            try signers.add(one.statement)
            guard signers.isEnough else { continue }
            if let found = try proveToTheBeginning(place) { return (one, signers.shown, found) }
            fault = fault ?? failure
            signers.removeAll()
        }
        throw fault ?? missing(trust)
    }

    /// Returns the newest signed commit, by any signer, and the proofs of the parts that it covers; nil if there is none.
    ///
    /// - Throws: `untrusted` if one of the trees does not cover all that it must cover: nothing that is signed above it
    ///   could be proved.
    mutating func newestProved() throws(ArchiveError) -> (signed: Signed, proofs: [CommitProof])? {
        guard let last = signed.last else { return nil }
        if let proofs = try proveToTheBeginning(signed.count - 1) { return (last, proofs) }
        throw ArchiveError(
            .untrusted, "an earlier signature is invalid: \(failure?.message ?? "")", path: source.name,
            offset: failure?.offset, recovery: .compactFirst)
    }

    /// Returns the newest signed commit whose statement has a valid signature of any key; nil if there is none. No tree is
    /// checked.
    func newestWithSignature() -> Signed? {
        signed.last { one in
            let message = one.statement.message
            return one.statement.signatures.contains {
                ArchivePublicKey(bytes: $0.key)?.isSignature($0.signature, of: message) == true
            }
        }
    }

    private func missing(_ trust: ArchiveTrust) -> ArchiveError {
        let text =
            if signed.isEmpty {
                "the archive is not signed"
            } else if !trust.keys.isDisjoint(with: trust.revokedKeys) {
                "a trusted key is revoked, and the archive is not signed by the others"
            } else if trust.threshold > 1 {
                "the archive is signed by fewer than \(trust.threshold) of the trusted keys"
            } else {
                "the archive is not signed by the trusted keys"
            }
        return ArchiveError(.untrusted, text, path: source.name)
    }

    /// Returns whether the tree of a signed commit covers the statement of the previous one.
    private func leads(from later: Signed, to earlier: Signed) throws(ArchiveError) -> Bool {
        do throws(ArchiveError) {
            let statement = later.statement
            let tree = try tree(of: later.number, leafCount: statement.leafCount, root: statement.root)
            return try tree.contains(TreeHash.head(chain.headerBytes, after: earlier.statement), at: 0)
        } catch {
            guard error.code != .io else { throw error }
            return false
        }
    }

    private func tree(of number: Int, leafCount: UInt64, root: [UInt8]) throws(ArchiveError) -> HashTree {
        guard let section = chain.commits[number].sections[.merkleTree] else {
            throw ArchiveError(.untrusted, "the signed commit has no hash tree", path: source.name)
        }
        return try HashTree(source, section.extent, leafCount: leafCount, root: root)
    }

    /// Proves header and ends of all commits up to a signed one, the oldest first, each of them once.
    ///
    /// - Returns: the proofs of these commits; nil if one differs from the signed bytes.
    private mutating func proveToTheBeginning(_ place: Int) throws(ArchiveError) -> [CommitProof]? {
        while provedCount <= place, failure == nil {
            do throws(ArchiveError) {
                proofs += try proofs(of: provedCount)
                provedCount += 1
            } catch {
                guard error.code != .io else { throw error }
                failure = error
            }
        }
        return provedCount > place ? Array(proofs[...signed[place].number]) : nil
    }

    /// Proves header and ends of the commits that the tree of a signed one covers.
    private func proofs(of place: Int) throws(ArchiveError) -> [CommitProof] {
        let (one, before) = (signed[place], place > 0 ? signed[place - 1] : nil)
        let numbers = (before.map { $0.number + 1 } ?? 0)...one.number
        var (layouts, next) = ([LeafLayout](), UInt64(1))
        for number in numbers {
            let commit = chain.commits[number]
            let layout = try LeafLayout(
                footer: commit.footer, sections: commit.sections, blockCount: blockCounts[number],
                holdsTree: number == one.number, first: next)
            layouts.append(layout)
            next = layout.endLeaf + 1
        }
        guard next == one.statement.leafCount else {
            throw ArchiveError(
                .untrusted, "the hash tree has \(one.statement.leafCount) leaves, expected \(next)", path: source.name)
        }
        let tree = try tree(of: one.number, leafCount: next, root: one.statement.root)
        guard try tree.contains(TreeHash.head(chain.headerBytes, after: before?.statement), at: 0) else {
            throw ArchiveError(.untrusted, "the header does not match the signature", path: source.name, offset: 0)
        }
        let proofs = layouts.map { CommitProof($0, tree: tree, name: source.name) }
        for (proof, number) in zip(proofs, numbers) {
            try proof.checkEnd(chain.commits[number].end)
            _ = try ClassTable(of: chain.commits[number].sections, in: source, proof: proof)
        }
        return proofs
    }
}

extension SignedStatement {
    /// Reads the statement of a commit; nil if the commit is not signed.
    init?(
        of sections: SectionTable, _ footer: CommitFooter, in source: any ByteSource
    ) throws(ArchiveError) {
        guard sections[.merkleTree] != nil, let section = sections[.signature],
            section.extent.length <= UInt64(Self.maximumLength)
        else { return nil }
        let bytes = try source.bytes(at: section.extent.offset, count: Int(section.extent.length))
        self.init(decoding: bytes, footer: footer)
    }
}

extension ClassTable {
    /// Reads the class table of a commit; an empty one if the commit has none.
    init(of sections: SectionTable, in source: any ByteSource, proof: CommitProof? = nil) throws(ArchiveError) {
        guard let section = sections[.classes] else {
            self.init()
            return
        }
        let bytes = try source.bytes(at: section.extent.offset, count: Int(section.extent.length))
        // At most 65,536 bytes: one piece.
        if let proof, !bytes.isEmpty {
            try bytes.withBytes { (bytes) throws(ArchiveError) in try proof.checkPiece(0, of: .classes, bytes) }
        }
        try self.init(decoding: bytes, section: section, indexLength: sections[.index]?.extent.length ?? 0)
    }
}
