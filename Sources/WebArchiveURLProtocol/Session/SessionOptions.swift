// SPDX-License-Identifier: Apache-2.0

/// The options of an installation, in addition to its policy.
///
/// ```swift
/// var options = SessionOptions()
/// options.recording.maximumBodyLength = 10 << 20
/// options.rules = [.block(.notConnectedToInternet, when: .host("*.ads.example"))]
/// options.onResponse = { event in print(event.url, event.status, event.source) }
/// configuration.install(archive, policy: .networkFirst, options: options)
/// ```
///
/// They are copied by an installation: later changes do not count, but for those of ``connectivity``, which is shared.
public struct SessionOptions: Sendable {
    /// The URL schemes that are served, in lower case; `http` and `https` by default. Requests for others bypass the archive, and a redirect
    /// to a different one is not followed.
    public var schemes: Set<String> = ["http", "https"]
    /// The matching rules of the bundles of an installation (specification section 8.5). The recording archive has its own
    /// ``RecordingArchive/Options/matching``.
    public var matching = ArchiveMatcher.Options()
    /// The rules for requests before the policy sees them, in order; none by default.
    public var rules: [RequestRule] = []
    /// The rules of recording; without credentials, and nothing with `no-store`, by default.
    public var recording = RecordingRules()
    /// The header fields that are not stored, in addition to those that ``recording`` leaves out.
    public var strippedFields: [StoredFieldRule] = []
    /// Whether a response with a part of a body (206) starts a load of the whole body in the background, for recording, so that every part of it,
    /// of a video say, is available offline. The body is then transferred twice: as requested by the app, and as a whole.
    ///
    /// Not done over a network that ``connectivity`` calls metered, nor for a body longer than ``RecordingRules/maximumBodyLength`` or of
    /// unknown length. False by default: no part is stored (RFC 9111 section 3.3).
    public var loadsWholeBodies = false
    /// The length in bytes, after content decoding, beyond which the load of a body from the network fails with `dataLengthExceedsMaximum`.
    ///
    /// A response is delivered when all of it is here. Until then it is in a file without a name beside the archive, or among the system's
    /// temporary files, whether or not ``RecordingRules/maximumBodyLength`` lets it be recorded. 1 GiB by default.
    public var maximumResponseLength: UInt64 = 1 << 30
    /// The network state that the app reports; by default a network that is always available and free.
    public var connectivity = Connectivity()
    /// The maximum number of followed redirects, where the platform leaves that to a protocol; more fail with `httpTooManyRedirects`. 20 by
    /// default, as the Fetch standard has it.
    public var maximumRedirects = 20
    /// A function that is called for each response, and for each redirect that is followed; nil by default. It is called from any thread, and waited
    /// for.
    public var onResponse: (@Sendable (LoadEvent) -> Void)?
    /// The clock for ages and the times of exchanges; `ArchiveTime.now` by default.
    public var now: @Sendable () -> ArchiveTime = ArchiveTime.now

    /// Whether a request that follows a redirect to a different origin has all header fields of the first one except those for credentials, as
    /// in the URL loading system; otherwise only those that describe the requested content, such as `Accept`. True by default.
    public var keepsFieldsAcrossOrigins = true

    /// Creates the default options.
    public init() {}
}
