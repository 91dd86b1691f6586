// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// The browser's side of a DevTools protocol over two pipes, whose messages end with a NUL.
public struct PipedBrowser: Sendable {
    public let commands: FileDescriptor
    public let events: FileDescriptor

    public init(commands: FileDescriptor, events: FileDescriptor) {
        self.commands = commands
        self.events = events
    }

    public func say(_ message: String) throws { _ = try events.writeAll(Array(message.utf8) + [0]) }

    /// Reads commands up to the first that has a text in it, that one included.
    public func read(through text: String) throws -> [String] {
        var all: [String] = []
        var pending: [UInt8] = []
        var byte: [UInt8] = [0]
        while try byte.withUnsafeMutableBytes({ try commands.read(into: $0) }) == 1 {
            guard byte[0] == 0 else {
                pending += byte
                continue
            }
            all.append(String(decoding: pending, as: UTF8.self))
            if all.last!.contains(text) { return all }
            pending = []
        }
        return all
    }

    /// Reads the commands until the pipe is closed.
    public func readAll() throws -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try commands.read(into: $0) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }
}
