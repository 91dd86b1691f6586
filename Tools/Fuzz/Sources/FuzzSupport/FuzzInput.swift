// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs one input that libFuzzer gives.
///
/// Time is the processor's: with libFuzzer's own clock a run that the system, or a person, pauses would look slow.
///
/// - Returns: what `LLVMFuzzerTestOneInput` returns.
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int, _ work: ([UInt8]) -> Void) -> CInt {
    let begin = clock()
    work(Array(UnsafeBufferPointer(start: start, count: count)))
    let seconds = (clock() - begin) / Int(CLOCKS_PER_SEC)
    expect(seconds < slowestInput, "an input of \(count) bytes took \(seconds) s")
    return 0
}

/// Seconds of processor time that no input may take, checkers of memory included.
private let slowestInput = 10

/// Ends the program, which makes the input a finding, unless `condition` holds.
public func expect(_ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String) {
    if !condition() { fatalError(message()) }
}

/// Does a part of the work, which may take so many seconds of the processor's time.
public func within<Failure>(
    _ limit: Double, _ name: @autoclosure () -> String, _ work: () throws(Failure) -> Void
) throws(Failure) {
    let begin = clock()
    defer {
        let seconds = Double(clock() - begin) / Double(CLOCKS_PER_SEC)
        expect(seconds < limit, "\(name()) took \(seconds) s")
    }
    try work()
}
