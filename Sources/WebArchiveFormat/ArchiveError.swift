// SPDX-License-Identifier: Apache-2.0

/// An error of the library: a code, a message, and, where known, path, byte offset and cause.
///
/// Two errors are equal if their codes are: messages are for people and may change.
public struct ArchiveError: Error, Sendable {
    /// The kind of failure. New codes may come with new versions, so a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as `--json` prints it.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// The first bytes are not those of an archive.
        public static let notAnArchive = Code(rawValue: "notAnArchive")
        /// A later major version of the format.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// A required feature, section or coding that this version does not know.
        public static let unsupportedFeature = Code(rawValue: "unsupportedFeature")
        /// No whole commit: the file was cut, or its writing never ended.
        public static let truncated = Code(rawValue: "truncated")
        /// Bytes that break a rule of the format or do not match their checksum.
        public static let damaged = Code(rawValue: "damaged")
        /// Nothing in the archive answers what was asked.
        public static let notFound = Code(rawValue: "notFound")
        /// An argument that no archive could satisfy: a malformed URL, a range outside a body.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// More than the format or this library can hold.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
        /// The operating system refused.
        public static let io = Code(rawValue: "io")
        /// Another writer holds the archive.
        public static let locked = Code(rawValue: "locked")
        /// Something of that name is there already.
        public static let alreadyExists = Code(rawValue: "alreadyExists")
        /// The writer met an error before and writes nothing more.
        public static let poisoned = Code(rawValue: "poisoned")
        /// The file changed while it was read.
        public static let changed = Code(rawValue: "changed")
        /// Work was stopped on request.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// A way out that a caller may offer, by an option of its own. New ones may come with new versions.
    public struct Recovery: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name of the way out.
        public let rawValue: String
        /// Creates a way out from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// Packing without the file or folder that the error names.
        public static let leaveOut = Recovery(rawValue: "leaveOut")
        /// Packing with what symbolic links outside the folder lead to, or without the link.
        public static let allowOutsideLinks = Recovery(rawValue: "allowOutsideLinks")
        /// Unpacking over the file that is there.
        public static let overwrite = Recovery(rawValue: "overwrite")
        /// Unpacking each host into a folder of its own, or one host alone.
        public static let separateHosts = Recovery(rawValue: "separateHosts")
        /// Unpacking with a higher limit.
        public static let raiseLimit = Recovery(rawValue: "raiseLimit")
        /// Making a new certificate authority.
        public static let makeAuthority = Recovery(rawValue: "makeAuthority")
        /// Naming the hosts of a certificate authority, fewer than the archive has.
        public static let nameHosts = Recovery(rawValue: "nameHosts")
        /// A certificate authority for the host alone, in a folder of its own.
        public static let ownAuthority = Recovery(rawValue: "ownAuthority")
        /// A folder that belongs to the user, for the certificate authority.
        public static let ownFolder = Recovery(rawValue: "ownFolder")
        /// Replacing the certificate authority that is there, or making another one elsewhere.
        public static let replaceAuthority = Recovery(rawValue: "replaceAuthority")
        /// Listening on another port.
        public static let otherPort = Recovery(rawValue: "otherPort")
        /// Listening on a port that needs no privileges.
        public static let unprivilegedPort = Recovery(rawValue: "unprivilegedPort")
        /// Listening on an address of this machine.
        public static let ownAddress = Recovery(rawValue: "ownAddress")
        /// Fetching or copying the file again: nothing of it can be read.
        public static let copyAgain = Recovery(rawValue: "copyAgain")
        /// Unpacking the file, which is of another format, and packing what is in it.
        public static let unpackFirst = Recovery(rawValue: "unpackFirst")
        /// Saving the pages of the file, which is of another format, as files, and packing these.
        public static let savePagesFirst = Recovery(rawValue: "savePagesFirst")
        /// Packing the file, which is no archive.
        public static let packFirst = Recovery(rawValue: "packFirst")
    }

    // One reference keeps the error a word wide, so that functions that throw it stay cheap.
    private final class Storage: Sendable {
        let code: Code
        let message: String
        let path: String?
        let offset: UInt64?
        let cause: (any Error)?
        let recovery: Recovery?

        init(
            _ code: Code, _ message: String, _ path: String?, _ offset: UInt64?, _ cause: (any Error)?,
            _ recovery: Recovery?
        ) {
            (self.code, self.message, self.path, self.offset) = (code, message, path, offset)
            (self.cause, self.recovery) = (cause, recovery)
        }
    }

    private let storage: Storage

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, path: String? = nil, offset: UInt64? = nil, cause: (any Error)? = nil,
        recovery: Recovery? = nil
    ) {
        storage = Storage(code, message, path, offset, cause, recovery)
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The fault, as a phrase without a full stop.
    public var message: String { storage.message }
    /// The file that is meant, where it is known.
    public var path: String? { storage.path }
    /// The offset in the file, in bytes from its start; nil if it is not known.
    public var offset: UInt64? { storage.offset }
    /// The error that led to this one.
    public var cause: (any Error)? { storage.cause }
    /// The way out, where there is one that a caller can offer.
    public var recovery: Recovery? { storage.recovery }

    /// The same error with a path, unless it has one.
    public func at(path: String) -> ArchiveError {
        guard self.path == nil else { return self }
        return ArchiveError(code, message, path: path, offset: offset, cause: cause, recovery: recovery)
    }

    /// The same error with a way out, unless it has one.
    package func recovering(by recovery: Recovery) -> ArchiveError {
        guard self.recovery == nil else { return self }
        return ArchiveError(code, message, path: path, offset: offset, cause: cause, recovery: recovery)
    }

    /// A `damaged` error.
    public static func damaged(_ message: String, offset: UInt64? = nil) -> ArchiveError {
        ArchiveError(.damaged, message, offset: offset)
    }
}

extension ArchiveError: Equatable {
    public static func == (left: ArchiveError, right: ArchiveError) -> Bool { left.code == right.code }
}

extension ArchiveError: CustomStringConvertible {
    public var description: String {
        var text = path.map { "\($0): " } ?? ""
        text += message
        if let offset { text += " (byte \(offset))" }
        if let cause { text += ": \(cause)" }
        return text
    }
}
