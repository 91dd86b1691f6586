// SPDX-License-Identifier: Apache-2.0

/// The options of an installation beside its policy.
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
    /// URL schemes that are answered, in lower case; `http` and `https` by default. Requests for others go past the archive, and a redirect
    /// to another one is not followed.
    public var schemes: Set<String> = ["http", "https"]
    /// The rules by which the bundles of an installation are matched (specification section 8.5). What was recorded is matched as its own
    /// ``RecordingArchive/Options/matching`` says.
    public var matching = ArchiveMatcher.Options()
    /// The rules for requests before the policy sees them, in order; none by default.
    public var rules: [RequestRule] = []
    /// The rules for what is recorded; without credentials, and nothing with `no-store`, by default.
    public var recording = RecordingRules()
    /// Header fields that are not stored, beside those that ``recording`` leaves out.
    public var strippedFields: [StoredFieldRule] = []
    /// Whether a response with a part of a body (206) has all of that body loaded and recorded in the background, so that every part of it,
    /// of a video say, is there offline. The body is then transferred twice: as the app asked for it, and as a whole.
    ///
    /// Not done over a network that ``connectivity`` calls metered, nor for a body longer than ``RecordingRules/maximumBodyLength`` or of
    /// unknown length. False by default: no part is stored (RFC 9111 section 3.3).
    public var loadsWholeBodies = false
    /// The length in bytes, after content decoding, beyond which the load of a body from the network fails with `dataLengthExceedsMaximum`.
    ///
    /// A response is delivered when all of it is here. Until then it is in a file without a name beside the archive, or among the system's
    /// temporary files, whether or not ``RecordingRules/maximumBodyLength`` lets it be recorded. 1 GiB by default.
    public var maximumResponseLength: UInt64 = 1 << 30
    /// The app's account of the network; by default there always is one, which costs nothing.
    public var connectivity = Connectivity()
    /// Redirects that are followed, where the platform leaves that to a protocol; more fail with `httpTooManyRedirects`. 20 by default, as
    /// the Fetch standard has it.
    public var maximumRedirects = 20
    /// A function that is told of each response, and of each redirect that is followed; nil by default. Called from any thread, and waited
    /// for.
    public var onResponse: (@Sendable (LoadEvent) -> Void)?
    /// The clock by which ages are computed and exchanges get their time; `ArchiveTime.now` by default.
    public var now: @Sendable () -> ArchiveTime = ArchiveTime.now

    /// Whether a request that follows a redirect to another origin has all header fields of the first one save those for credentials, as
    /// the URL loading system has it; otherwise only those that tell what is asked for, such as `Accept`. True by default.
    public var keepsFieldsAcrossOrigins = true

    /// Creates the default options.
    public init() {}
}
