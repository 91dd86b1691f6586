// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The code and the offset that a test expects of an error. Messages are for people, and few tests compare them.
public struct Failure: Equatable, CustomStringConvertible, Sendable {
    public let code: ArchiveError.Code
    public let offset: UInt64?

    public init(_ code: ArchiveError.Code, at offset: UInt64? = nil) {
        self.code = code
        self.offset = offset
    }

    public var description: String { "\(code) at \(offset.map(String.init) ?? "no place")" }
}

/// The error that `work` throws, nil if it throws none, or one of another type.
public func archiveError(_ work: () throws -> Void) -> ArchiveError? {
    do {
        try work()
        return nil
    } catch {
        return error as? ArchiveError
    }
}

/// Code and place of the error that `work` throws.
public func failure(_ work: () throws -> Void) -> Failure? {
    archiveError(work).map { Failure($0.code, at: $0.offset) }
}
