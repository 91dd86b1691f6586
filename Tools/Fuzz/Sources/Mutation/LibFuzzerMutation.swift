// SPDX-License-Identifier: Apache-2.0

import CLibFuzzer

/// The bytes that libFuzzer makes of others; at most as many as the limit, or as there are.
package func mutated(_ bytes: [UInt8], _ limit: Int) -> [UInt8] {
    let room = max(limit, bytes.count, 1)
    var buffer = bytes + Array(repeating: 0, count: room - bytes.count)
    let count = buffer.withUnsafeMutableBufferPointer { Int(LLVMFuzzerMutate($0.baseAddress, bytes.count, room)) }
    return Array(buffer.prefix(count))
}

/// The same, of the same length: what others refer to by its place stays there.
package func mutatedInPlace(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    let changed = mutated(bytes, bytes.count)
    return changed + bytes[changed.count...]
}

/// Gives libFuzzer what a mutator made of an input.
///
/// - Returns: what `LLVMFuzzerCustomMutator` returns.
package func replaceInput(
    _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, by mutation: ([UInt8]) -> [UInt8]
) -> Int {
    let output = Array(mutation(Array(UnsafeBufferPointer(start: data, count: count))).prefix(limit))
    data.update(from: output, count: output.count)
    return output.count
}
