// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The commits of an archive for which trusted keys vouch, with their proofs. Specification section 13.4.
struct TrustedCommits: Sendable {
    /// The commits up to the newest trusted one, the oldest first, and the proof of each.
    let commits: [(commit: CommitChain.Commit, proof: CommitProof)]
    /// The statement of the newest trusted commit.
    let statement: ArchiveStatement
    /// The number of later commits that have rows, which are not read.
    let ignoredCount: Int

    /// Finds the newest commit that enough trusted keys signed, and proves its ends and those of all before it.
    ///
    /// Costs the checking of the signatures, and two reads for each commit and each level of a tree.
    ///
    /// - Throws: `untrusted` if there is none; what the source throws.
    init(_ chain: CommitChain, in source: any ByteSource, trust: ArchiveTrust) throws(ArchiveError) {
        let search = try TrustedCommitSearch(chain, in: source)
        let found = try search.run(trust)
        let statement = ArchiveStatement(found.signed.statement, signers: found.signers)
        try trust.sequences?.check(statement, of: source.name)
        self.statement = statement
        commits = found.proofs.enumerated().map { (chain.commits[$0.offset], $0.element) }
        ignoredCount = search.rowCounts[found.proofs.count...].count { $0 > 0 }
    }
}

/// A search for the newest trusted commit.
private struct TrustedCommitSearch {
    /// A commit with a tree and a statement that keeps the rules, whoever signed it.
    struct Signed {
        let number: Int
        let statement: SignedStatement
    }

    private let chain: CommitChain
    private let source: any ByteSource
    /// The rows of `Block` of each commit, as its class table says, which is proved when it is read again.
    private let blockCounts: [Int]
    /// The rows of all classes of each commit.
    let rowCounts: [Int]
    /// The signed commits, the oldest first.
    private let signed: [Signed]

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

    func run(
        _ trust: ArchiveTrust
    ) throws(ArchiveError) -> (signed: Signed, signers: Set<ArchivePublicKey>, proofs: [CommitProof]) {
        var signers: [ArchivePublicKey: ArchivePublicKey] = [:]
        var failure: ArchiveError?
        for (place, one) in signed.enumerated().reversed() {
            if !signers.isEmpty, try !leads(from: signed[place + 1], to: one) { signers = [:] }
            signers.merge(trust.signers(of: one.statement)) { later, _ in later }
            let distinct = Set(signers.values)
            guard distinct.count >= trust.threshold else { continue }
            do throws(ArchiveError) {
                return (one, distinct, try proofs(upTo: place))
            } catch {
                guard error.code != .io else { throw error }
                failure = failure ?? error
                signers = [:]
            }
        }
        throw failure ?? missing(trust)
    }

    private func missing(_ trust: ArchiveTrust) -> ArchiveError {
        let text =
            if signed.isEmpty {
                "the archive is not signed"
            } else if trust.threshold > 1 {
                "fewer than \(trust.threshold) of the trusted keys signed the archive"
            } else {
                "none of the trusted keys signed the archive"
            }
        return ArchiveError(.untrusted, text, path: source.name)
    }

    /// Tells whether the tree of a signed commit covers the root of the one before.
    private func leads(from later: Signed, to earlier: Signed) throws(ArchiveError) -> Bool {
        do throws(ArchiveError) {
            let statement = later.statement
            let tree = try tree(of: later.number, leafCount: statement.leafCount, root: statement.root)
            return try tree.contains(TreeHash.head(chain.headerBytes, before: earlier.statement.root), at: 0)
        } catch {
            guard error.code != .io else { throw error }
            return false
        }
    }

    private func tree(of number: Int, leafCount: UInt64, root: [UInt8]) throws(ArchiveError) -> HashTree {
        guard let section = chain.commits[number].sections[.merkleTree] else {
            throw ArchiveError(.untrusted, "a signed commit without a tree", path: source.name)
        }
        return try HashTree(source, section.extent, leafCount: leafCount, root: root)
    }

    /// Proves header and ends of all commits up to a signed one.
    private func proofs(upTo place: Int) throws(ArchiveError) -> [CommitProof] {
        var proofs: [CommitProof] = []
        for (place, one) in signed[...place].enumerated().reversed() {
            let before = place > 0 ? signed[place - 1] : nil
            var (layouts, next) = ([LeafLayout](), UInt64(1))
            for number in (before.map { $0.number + 1 } ?? 0)...one.number {
                let commit = chain.commits[number]
                let layout = try LeafLayout(
                    footer: commit.footer, sections: commit.sections, blockCount: blockCounts[number],
                    holdsTree: number == one.number, first: next)
                layouts.append(layout)
                next = layout.endLeaf + 1
            }
            guard proofs.count > 0 || next == one.statement.leafCount else {
                throw ArchiveError(
                    .untrusted, "a tree of \(one.statement.leafCount) leaves for \(next) parts", path: source.name)
            }
            let tree = try tree(of: one.number, leafCount: next, root: one.statement.root)
            guard try tree.contains(TreeHash.head(chain.headerBytes, before: before?.statement.root), at: 0) else {
                throw ArchiveError(.untrusted, "the header is not what was signed", path: source.name, offset: 0)
            }
            let own = layouts.map { CommitProof($0, tree: tree, name: source.name) }
            for (proof, number) in zip(own, one.number - own.count + 1...one.number) {
                try proof.checkEnd(chain.commits[number].end)
            }
            proofs = own + proofs
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
    /// Reads the class table of a commit; one without tables if the commit has none.
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
