// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connection to a server of this process, over which one request is sent again and again, and that allocates nothing for it.
struct Connection {
    private let descriptor: CInt
    private let request: [UInt8]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    private let responseLength: Int

    init(port: Int, path: String) {
        request = Array("GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n".utf8)
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0, send(descriptor, request, request.count, 0) == request.count else {
            fatalError("no connection")
        }
        self.descriptor = descriptor
        // The page is short: it comes with its head, and all responses to one request are of one length.
        responseLength = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        let head = String(decoding: buffer.prefix(max(0, responseLength)), as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 200"), head.contains("<!doctype html>") else { fatalError(head) }
    }

    /// Sends the request and receives the response `count` times.
    func repeatRequest(_ count: Int) {
        for _ in 0..<count {
            guard send(descriptor, request, request.count, 0) == request.count else { fatalError("not sent") }
            var rest = responseLength
            while rest > 0 {
                let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                guard received > 0 else { fatalError("no response") }
                rest -= received
            }
        }
    }
}
