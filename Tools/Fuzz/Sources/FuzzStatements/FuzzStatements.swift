// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

/// Signed archives and what belongs to them: statements, endorsements, key files, records of sequences.
///
/// The first byte says what the rest is. Nobody has the trusted keys here: what they did not sign is not trusted.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStatements(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        guard let first = bytes.first, let kind = Kind(rawValue: first) else { return }
        let rest = Array(bytes.dropFirst())
        within(5, "\(kind)") {
            switch kind {
            case .archive: TrustedReading.check(rest)
            case .statement: StatementCheck.run(rest)
            case .publicKey: KeyCheck.publicKey(rest)
            case .secretKey: KeyCheck.secretKey(rest)
            case .endorsement: KeyCheck.endorsement(rest)
            case .sequences: SequenceCheck.run(rest)
            }
        }
    }
}

/// The kinds of input.
enum Kind: UInt8, CaseIterable {
    case archive, statement, publicKey, secretKey, endorsement, sequences
}
