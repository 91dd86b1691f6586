// SPDX-License-Identifier: Apache-2.0

/// A writer of a binary property list ("bplist00") object by object, front to back.
///
/// Objects are numbered as they are written, from 0. The writer keeps the position of each object in memory, eight bytes. Containers name
/// their elements by number, so a number that comes later must be known beforehand: by counting, with ``counting``.
struct BinaryPropertyList {
    private static let signature = Array("bplist00".utf8)
    private static let chunkLength = 1 << 16

    private let sink: (([UInt8]) throws(ArchiveError) -> Void)?
    private let referenceWidth: Int
    private var offsets: [UInt64] = []
    private var chunk: [UInt8]
    private var flushed: UInt64 = 0

    /// The number of objects so far, which is the number of the next one.
    private(set) var count = 0

    /// Starts a list of `count` objects that it passes to `sink` in chunks of about 64 KiB.
    init(objectCount: Int, sink: @escaping ([UInt8]) throws(ArchiveError) -> Void) {
        self.sink = sink
        referenceWidth = Self.width(UInt64(objectCount))
        chunk = Self.signature
        offsets.reserveCapacity(objectCount)
    }

    private init() {
        (sink, referenceWidth, chunk) = (nil, 8, [])
    }

    /// A list without output, to count the objects.
    static var counting: BinaryPropertyList { BinaryPropertyList() }

    /// Returns the least of 1, 2, 4 and 8 bytes that holds a number.
    private static func width(_ number: UInt64) -> Int {
        [1, 2, 4].first { number < 1 << UInt64(8 * $0) } ?? 8
    }

    // MARK: - Objects

    /// Writes a signed integer, and returns its number.
    @discardableResult
    mutating func integer(_ value: Int64) throws(ArchiveError) -> Int {
        // Only eight bytes are read as a signed number.
        let width = value < 0 ? 8 : Self.width(UInt64(value))
        try begin(0x10 | UInt8(width.trailingZeroBitCount))
        append(UInt64(bitPattern: value), width)
        return count - 1
    }

    /// Writes the unique identifier of an object of a keyed archive: its position in `$objects`.
    @discardableResult
    mutating func identifier(_ value: Int) throws(ArchiveError) -> Int {
        let width = Self.width(UInt64(value))
        try begin(0x80 | UInt8(width - 1))
        append(UInt64(value), width)
        return count - 1
    }

    /// Writes data, and returns its number.
    @discardableResult
    mutating func data(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> Int {
        try begin(0x40, count: bytes.count)
        chunk.append(contentsOf: bytes)
        return count - 1
    }

    /// Writes a string, or data where the bytes are not UTF-8, and returns its number.
    @discardableResult
    mutating func text(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> Int {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            try begin(0x50, count: bytes.count)
            chunk.append(contentsOf: bytes)
        } else if let text = String(validating: bytes, as: UTF8.self) {
            try begin(0x60, count: text.utf16.count)
            for unit in text.utf16 { append(UInt64(unit), 2) }
        } else {
            return try data(bytes)
        }
        return count - 1
    }

    /// Writes a string, and returns its number.
    @discardableResult
    mutating func text(_ text: String) throws(ArchiveError) -> Int {
        let bytes = Array(text.utf8)
        return try bytes.withBytes { (bytes) throws(ArchiveError) in try self.text(bytes) }
    }

    /// Writes an array of objects, given by their numbers, and returns its own number.
    @discardableResult
    mutating func array(_ elements: some Collection<Int>) throws(ArchiveError) -> Int {
        try begin(0xA0, count: elements.count)
        for element in elements { try reference(element) }
        return count - 1
    }

    /// Writes a dictionary of objects, given by their numbers, and returns its own number.
    @discardableResult
    mutating func dictionary(_ elements: [(key: Int, value: Int)]) throws(ArchiveError) -> Int {
        try begin(0xD0, count: elements.count)
        for element in elements { try reference(element.key) }
        for element in elements { try reference(element.value) }
        return count - 1
    }

    /// Ends the list, whose outermost object is `top`.
    mutating func finish(top: Int) throws(ArchiveError) {
        let table = flushed + UInt64(chunk.count)
        let width = Self.width(table)
        for offset in offsets {
            append(offset, width)
            try flushIfFull()
        }
        chunk.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(width), UInt8(referenceWidth)])
        append(UInt64(count), 8)
        append(UInt64(top), 8)
        append(table, 8)
        try flush()
    }

    // MARK: - Bytes

    private mutating func begin(_ marker: UInt8) throws(ArchiveError) {
        if sink != nil { offsets.append(flushed + UInt64(chunk.count)) }
        count += 1
        try flushIfFull()
        chunk.append(marker)
    }

    /// Begins an object that has a length: up to 14 in the marker, more as a number that follows.
    private mutating func begin(_ marker: UInt8, count length: Int) throws(ArchiveError) {
        if length < 15 { return try begin(marker | UInt8(length)) }
        try begin(marker | 15)
        let width = Self.width(UInt64(length))
        chunk.append(0x10 | UInt8(width.trailingZeroBitCount))
        append(UInt64(length), width)
    }

    private mutating func reference(_ number: Int) throws(ArchiveError) {
        append(UInt64(number), referenceWidth)
        try flushIfFull()
    }

    private mutating func append(_ value: UInt64, _ width: Int) {
        for shift in stride(from: 8 * (width - 1), through: 0, by: -8) {
            chunk.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    private mutating func flushIfFull() throws(ArchiveError) {
        if chunk.count >= Self.chunkLength { try flush() }
    }

    private mutating func flush() throws(ArchiveError) {
        flushed += UInt64(chunk.count)
        if let sink, !chunk.isEmpty { try sink(chunk) }
        chunk.removeAll(keepingCapacity: true)
    }
}
