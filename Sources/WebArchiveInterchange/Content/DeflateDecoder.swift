// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A decoder of the content codings `gzip` and `deflate` (RFC 9110 section 8.4.1).
final class DeflateDecoder: ContentDecoder {
    private let inflater: Inflater
    private let form: Inflater.Form
    private var output = [UInt8](repeating: 0, count: 1 << 16)
    private var isAtEnd = false

    init(_ form: Inflater.Form) throws(ArchiveError) {
        inflater = try Inflater(form)
        self.form = form
    }

    func decode(
        _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var rest = bytes
        while !rest.isEmpty {
            if isAtEnd {
                // Many texts begin with bytes that are a whole raw stream.
                guard form == .wrapped else { throw .damaged("bytes follow the deflate stream") }
                // A second member (RFC 1952 section 2.2). Anything else after the end is ignored, as browsers do.
                guard rest.first == 0x1F else { return }
                inflater.reset()
                isAtEnd = false
            }
            let (input, inflater) = (rest, inflater)
            let step = try output.withMutableBytes { (output) throws(ArchiveError) in
                let step = try inflater.step(input, into: output)
                try emit(UnsafeRawBufferPointer(rebasing: output[..<step.produced]))
                return step
            }
            isAtEnd = step.isAtEnd
            guard step.consumed > 0 || step.produced > 0 || isAtEnd else {
                throw .damaged("the deflate stream makes no progress")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
            // More output can be due without further input.
            if rest.isEmpty, step.produced == output.count { try drain(emit) }
        }
    }

    private func drain(_ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) {
        let (inflater, none) = (inflater, UnsafeRawBufferPointer(start: nil, count: 0))
        while !isAtEnd {
            let step = try output.withMutableBytes { (output) throws(ArchiveError) in
                let step = try inflater.step(none, into: output)
                try emit(UnsafeRawBufferPointer(rebasing: output[..<step.produced]))
                return step
            }
            isAtEnd = step.isAtEnd
            guard step.produced > 0 else { return }
        }
    }

    func finish() throws(ArchiveError) {
        guard isAtEnd else { throw ArchiveError(.truncated, "the deflate stream is cut off") }
    }
}
