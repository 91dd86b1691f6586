// SPDX-License-Identifier: Apache-2.0

/// An error of the library: a code, a message, and, where known, path, byte offset and cause.
///
/// Two errors are equal if their codes are: messages are for people and may change. An error is one reference, so that
/// throwing and copying it is cheap.
///
/// ```swift
/// do throws(ArchiveError) {
///     _ = try ArchiveReader(path: "notes.webarc")
/// } catch {
///     print(error.code, error.message, error.offset ?? 0)
/// }
/// ```
public struct ArchiveError: Error, Sendable {
    /// The kind of failure. New codes may come with new versions, so a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as `--json` prints it.
        public let rawValue: String
        /// Creates a code from its text, which need not be known.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The code of a file whose first 11 bytes are not those of an archive. Specification section 3.
        public static let notAnArchive = Code(rawValue: "notAnArchive")
        /// The code of an archive of a later major version of the format. Specification section 3.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// The code of a required feature, section or block coding that this version does not know. Specification
        /// sections 3, 4 and 5.
        public static let unsupportedFeature = Code(rawValue: "unsupportedFeature")
        /// The code of a file without a whole commit: it was cut, or its writing never ended. Specification section 9.
        ///
        /// It is also the code of a file that became shorter while it was open.
        public static let truncated = Code(rawValue: "truncated")
        /// The code of bytes that break a rule of the format or do not match their checksum. None of them are
        /// returned.
        public static let damaged = Code(rawValue: "damaged")
        /// The code of an archive, or a part of one, that the trusted keys did not sign, and of an older edition that
        /// replaces a newer one. None of its bytes are returned. Specification section 13.
        public static let untrusted = Code(rawValue: "untrusted")
        /// The code of a missing entry or file.
        public static let notFound = Code(rawValue: "notFound")
        /// The code of an argument that no archive could satisfy: a malformed URL, a range outside a body.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The code of an exceeded limit of the format or of this library, or of decoding for one purpose. Specification
        /// section 10.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
        /// The code of a refusal by the operating system; the cause is usually its error.
        public static let io = Code(rawValue: "io")
        /// The code of an archive that another writer has locked. Retry after that writer ends.
        /// Specification section 9.
        public static let locked = Code(rawValue: "locked")
        /// The code of a name that is already in use.
        public static let alreadyExists = Code(rawValue: "alreadyExists")
        /// The code of a writer that met an error earlier or has finished, and writes nothing more. Specification
        /// section 9.
        public static let poisoned = Code(rawValue: "poisoned")
        /// The code of a file that changed, or was replaced, while it was read or written.
        public static let changed = Code(rawValue: "changed")
        /// The code of work that was stopped on request.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// A suggested recovery that a caller may offer through an option of its own. New ones may come with new versions.
    public struct Recovery: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name of the recovery.
        public let rawValue: String
        /// Creates a recovery from its name, which need not be known.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name of the recovery.
        public var description: String { rawValue }

        /// Suggests joining the parts of the archive, or reading them by the name of the first one. Specification section 14.
        public static let joinParts = Recovery(rawValue: "joinParts")
        /// Suggests opening the first part of the archive. Specification section 14.
        public static let openFirstPart = Recovery(rawValue: "openFirstPart")
        /// Suggests packing without the file or folder that the error names.
        public static let leaveOut = Recovery(rawValue: "leaveOut")
        /// Suggests packing the targets of symbolic links outside the folder, or leaving out the link.
        public static let allowOutsideLinks = Recovery(rawValue: "allowOutsideLinks")
        /// Suggests overwriting the existing file.
        public static let overwrite = Recovery(rawValue: "overwrite")
        /// Suggests unpacking each host into a folder of its own, or one host alone.
        public static let separateHosts = Recovery(rawValue: "separateHosts")
        /// Suggests unpacking or loading with a higher limit.
        public static let raiseLimit = Recovery(rawValue: "raiseLimit")
        /// Suggests making a new certificate authority.
        public static let makeAuthority = Recovery(rawValue: "makeAuthority")
        /// Suggests naming fewer hosts for a certificate authority than the archive has.
        public static let nameHosts = Recovery(rawValue: "nameHosts")
        /// Suggests a certificate authority for only that host, in a folder of its own.
        public static let ownAuthority = Recovery(rawValue: "ownAuthority")
        /// Suggests a folder that the user owns, for the certificate authority.
        public static let ownFolder = Recovery(rawValue: "ownFolder")
        /// Suggests replacing the existing certificate authority, or making a new one elsewhere.
        public static let replaceAuthority = Recovery(rawValue: "replaceAuthority")
        /// Suggests listening on a different port.
        public static let otherPort = Recovery(rawValue: "otherPort")
        /// Suggests listening on a port that needs no privileges.
        public static let unprivilegedPort = Recovery(rawValue: "unprivilegedPort")
        /// Suggests listening on an address of this machine.
        public static let ownAddress = Recovery(rawValue: "ownAddress")
        /// Suggests fetching or copying the file again: none of it can be read.
        public static let copyAgain = Recovery(rawValue: "copyAgain")
        /// Suggests unpacking the file, which has a different format, and packing its contents.
        public static let unpackFirst = Recovery(rawValue: "unpackFirst")
        /// Suggests saving the pages of the file, which has a different format, as files, and packing these.
        public static let savePagesFirst = Recovery(rawValue: "savePagesFirst")
        /// Suggests importing the file, which another web archiver made.
        public static let importFirst = Recovery(rawValue: "importFirst")
        /// Suggests packing the file or the folder, which is not an archive.
        public static let packFirst = Recovery(rawValue: "packFirst")
        /// Suggests compacting the archive.
        public static let compactFirst = Recovery(rawValue: "compactFirst")
        /// Suggests signing the whole archive, or copying it without its unsigned parts. Specification section 13.
        public static let signAgain = Recovery(rawValue: "signAgain")
        /// Suggests signing the edition with a higher sequence number. `Spec/updates-1.md` section 2.
        public static let raiseSequence = Recovery(rawValue: "raiseSequence")
        /// Suggests packing with the series of the edition before. `Spec/updates-1.md` section 2.
        public static let keepSeries = Recovery(rawValue: "keepSeries")
        /// Suggests signing the list with its former key as well, or adding an endorsement by that key. Specification section 13.3.
        public static let signWithFormerKey = Recovery(rawValue: "signWithFormerKey")
        /// Suggests trusting the new key, or an endorsement of it. Specification section 13.3.
        public static let trustNewKey = Recovery(rawValue: "trustNewKey")
        /// Suggests naming a release folder, because the address leads to other content.
        public static let nameReleaseFolder = Recovery(rawValue: "nameReleaseFolder")
        /// Suggests accepting the expired list, or waiting for the publisher to release again. `Spec/updates-1.md` section 2.
        public static let acceptExpired = Recovery(rawValue: "acceptExpired")
        /// Suggests making an Ed25519 key (RFC 8032).
        public static let makeKey = Recovery(rawValue: "makeKey")
        /// Suggests decrypting the secret key with a different program.
        public static let decryptKey = Recovery(rawValue: "decryptKey")
        /// Suggests making an endorsement with the older key. Specification section 13.3.
        public static let makeEndorsement = Recovery(rawValue: "makeEndorsement")
        /// Suggests naming an installed browser.
        public static let nameBrowser = Recovery(rawValue: "nameBrowser")
        /// Suggests installing a browser, or naming an installed one.
        public static let installBrowser = Recovery(rawValue: "installBrowser")
        /// Suggests starting in a graphical session, or without a window.
        public static let startHeadless = Recovery(rawValue: "startHeadless")
    }

    // One reference keeps the error a word wide, so that functions that throw it stay cheap.
    /// The parts of an error.
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
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: the fault, as a phrase without a full stop.
    ///   - path: the file that is meant; nil, the default, where it is not known.
    ///   - offset: the offset in bytes from the start of that file; nil, the default, where it is not known.
    ///   - cause: the error that led to this one; nil by default.
    ///   - recovery: a way out; nil by default, for none.
    public init(
        _ code: Code, _ message: String, path: String? = nil, offset: UInt64? = nil, cause: (any Error)? = nil,
        recovery: Recovery? = nil
    ) {
        storage = Storage(code, message, path, offset, cause, recovery)
    }

    /// The kind of failure, by which programs decide.
    public var code: Code { storage.code }
    /// The fault, as a phrase without a full stop, for people; it may change from version to version.
    public var message: String { storage.message }
    /// The path of the affected file; nil if it is unknown.
    public var path: String? { storage.path }
    /// The offset in the file, in bytes from its start; nil if it is unknown.
    public var offset: UInt64? { storage.offset }
    /// The underlying error, such as the operating system's; nil without one.
    public var cause: (any Error)? { storage.cause }
    /// The suggested recovery; nil if there is none that a caller can offer.
    public var recovery: Recovery? { storage.recovery }

    /// Returns the same error with a path, unless it already has one.
    public func at(path: String) -> ArchiveError {
        guard self.path == nil else { return self }
        return ArchiveError(code, message, path: path, offset: offset, cause: cause, recovery: recovery)
    }

    /// Returns the same error with a suggested recovery, unless it already has one.
    package func recovering(by recovery: Recovery) -> ArchiveError {
        guard self.recovery == nil else { return self }
        return ArchiveError(code, message, path: path, offset: offset, cause: cause, recovery: recovery)
    }

    /// Creates a `damaged` error.
    ///
    /// - Parameters:
    ///   - message: the fault, as a phrase without a full stop.
    ///   - offset: the offset in bytes from the start of the file; nil, the default, where it is not known.
    public static func damaged(_ message: String, offset: UInt64? = nil) -> ArchiveError {
        ArchiveError(.damaged, message, offset: offset)
    }
}

extension ArchiveError: Equatable {
    /// Compares only the codes.
    public static func == (left: ArchiveError, right: ArchiveError) -> Bool { left.code == right.code }
}

extension ArchiveError: CustomStringConvertible {
    /// The error as one line for people: the known parts of path, message, offset and cause.
    public var description: String {
        var text = path.map { "\($0): " } ?? ""
        text += message
        if let offset { text += " (byte \(offset))" }
        if let cause { text += ": \(cause)" }
        return text
    }
}
