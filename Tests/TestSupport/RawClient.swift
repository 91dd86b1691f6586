// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP connection to this machine that sends exactly the given bytes.
public final class RawClient {
    private let descriptor: CInt

    public struct Failure: Error {
        public let what: String
        public let code: Int32
    }

    /// - Parameter receiveBuffer: bytes that the system takes before they are received; as it likes if nil.
    public init(port: Int, receiveBuffer: CInt? = nil) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        if var receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw Failure(what: "connect", code: code)
        }
        // Only a server that hangs lets this pass.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends all bytes; what the server no longer takes is left.
    public func send(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Self.sendSome(descriptor, $0) }
            guard count > 0 else { return }
            done += count
        }
    }

    private static func sendSome(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #else
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        #endif
    }

    public func send(_ text: String) { send(text.utf8) }

    /// Ends the client's side of the connection.
    public func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Some bytes, at most `limit`; none once the server has ended the connection.
    public func receive(atMost limit: Int = 1 << 16) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        if count < 0, errno == ECONNRESET { return [] }
        guard count >= 0 else { throw Failure(what: "receive", code: errno) }
        return Array(buffer[..<count])
    }

    /// All bytes until the server ends the connection.
    public func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let some = try receive()
            if some.isEmpty { return all }
            all += some
        }
    }

    /// Bytes until the text that they make fulfils a condition, or the server ends the connection.
    public func receive(until isEnough: (String) -> Bool) throws -> String {
        var all: [UInt8] = []
        while true {
            let some = try receive()
            all += some
            let text = String(decoding: all, as: UTF8.self)
            if some.isEmpty || isEnough(text) { return text }
        }
    }
}
