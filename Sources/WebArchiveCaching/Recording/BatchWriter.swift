// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// A writer of pending records into one commit.
struct BatchWriter {
    private let builder: CommitBuilder
    /// The requests of this commit, by their URLs.
    private var written: [CanonicalURL: [RequestKey: CommitBuilder.BodyReference?]] = [:]
    /// The digests of the bodies that are being written now.
    private var digests: [ObjectIdentifier: ContentDigest] = [:]
    /// The errors of exchanges that cannot be stored.
    private(set) var failures: [ArchiveError] = []

    /// Appends to the archive, or creates it if it is missing.
    ///
    /// - Throws: errors of ``ArchiveWriter``.
    init(_ path: FilePath, options: ArchiveWriter.Options) throws(ArchiveError) {
        builder = try CommitBuilder.appendingOrCreating(path, options: options)
    }

    /// Writes the records in their order, and makes them visible. Records that cannot be stored are left out.
    ///
    /// - Throws: `io`, `poisoned`, `limitExceeded`, if nothing was written.
    mutating func write(_ records: [PendingRecord]) throws(ArchiveError) {
        do throws(ArchiveError) {
            for (number, record) in records.enumerated() {
                if number % Self.digestsAtOnce == 0 {
                    computeDigests(of: records[number...].prefix(Self.digestsAtOnce))
                }
                do throws(ArchiveError) {
                    switch record.kind {
                    case .exchange(let exchange): try add(exchange, record)
                    case .removal(let time): try addRemoval(of: record.key.url, time)
                    }
                } catch {
                    // These say that the builder or the file itself cannot continue; all others are about one record.
                    if error.code == .io || error.code == .poisoned { throw error }
                    failures.append(error)
                }
            }
            try builder.commit()
        } catch {
            builder.cancel()
            throw error
        }
    }

    private mutating func add(_ exchange: StoredExchange, _ record: PendingRecord) throws(ArchiveError) {
        let requestBody = try exchange.requestBody.mapTyped(reference)
        let body = try exchange.body.mapTyped(reference)
        try builder.add(
            exchange.request, requestBody: requestBody, response: exchange.response,
            body: body?.length == 0 ? nil : body, time: exchange.time)
        written[record.key.url, default: [:]][record.key] = .some(requestBody)
    }

    // MARK: - Bodies

    /// Hashing several bodies together takes a fraction of the time of hashing them one by one.
    private static let digestsAtOnce = 64

    /// Computes digests. A body that cannot be read is left out, and fails when it is written.
    private mutating func computeDigests(of records: ArraySlice<PendingRecord>) {
        let bodies = records.flatMap { [$0.exchange?.body, $0.exchange?.requestBody] }.compactMap { body in
            if case .spooled(let body) = body, body.isFinished, let mapping = try? body.mapping() {
                (body, mapping)
            } else {
                nil
            }
        }
        let found = withExtendedLifetime(bodies) { ContentDigest.digests(of: bodies.map(\.1.bytes)) }
        digests = Dictionary(
            zip(bodies.map { ObjectIdentifier($0.0) }, found), uniquingKeysWith: { first, _ in first })
    }

    /// Returns the body in the new commit: a reference to an existing one, or a newly written one.
    private func reference(to body: StoredBody) throws(ArchiveError) -> CommitBuilder.BodyReference {
        switch body {
        case .spooled(let body):
            let mapping = try body.mapping()
            defer { withExtendedLifetime(mapping) {} }
            let digest = digests[ObjectIdentifier(body)] ?? ContentDigest(hashing: mapping.bytes)
            return try builder.addBody(mapping.bytes, digest: digest)
        case .archived(let body):
            if let known = try builder.reference(toStored: body) { return known }
            return try copy(body)
        }
    }

    /// Copies a body of a different file: the archive as it was before it was compacted or replaced.
    private func copy(_ body: ArchiveBody) throws(ArchiveError) -> CommitBuilder.BodyReference {
        let stream = try builder.beginBody()
        var readFailure: ArchiveError?
        var isReading = true
        do throws(ArchiveError) {
            try body.forEachBuffer { chunk throws(ArchiveError) in
                isReading = false
                try stream.write(chunk)
                isReading = true
            }
        } catch {
            guard isReading else { throw error }
            readFailure = error
        }
        if readFailure == nil { return try stream.finish() }
        try stream.cancel()
        throw ArchiveError(.damaged, "cannot read a revalidated body again", cause: readFailure)
    }

    // MARK: - Removals

    /// Adds an entry without a response for each stored request of a URL: the newest one counts. Specification section 8.5.
    private mutating func addRemoval(of url: CanonicalURL, _ time: ArchiveTime) throws(ArchiveError) {
        var newest: [RequestKey: (time: ArchiveTime?, entry: ArchiveEntry)] = [:]
        for entry in try builder.existingEntries(of: url, atMost: RecordingArchive.captureLimit) {
            guard try entry.role.isServed else { continue }
            let key = try RequestKey(url: url, method: entry.method, bodyDigest: entry.requestBody?.digest)
            let own = try entry.time
            if newest[key].map({ ArchiveTime.isOlder($0.time, own) }) ?? true { newest[key] = (own, entry) }
        }
        for (key, requestBody) in written.removeValue(forKey: url) ?? [:] {
            newest[key] = nil
            try addEmpty(key, requestBody, time)
        }
        for (key, (own, entry)) in newest {
            if let own, own > time { continue }
            guard try entry.kind != nil else { continue }
            let requestBody = try entry.requestBody.mapTyped { (body) throws(ArchiveError) in
                try reference(to: .archived(body))
            }
            try addEmpty(key, requestBody, time)
        }
    }

    private func addEmpty(
        _ key: RequestKey, _ requestBody: CommitBuilder.BodyReference?, _ time: ArchiveTime
    ) throws(ArchiveError) {
        try builder.add(
            ArchiveRequest(method: key.method, url: key.url.description), requestBody: requestBody, response: nil,
            time: time)
    }
}
