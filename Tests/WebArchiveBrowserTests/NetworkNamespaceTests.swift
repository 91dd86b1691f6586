// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser

#if os(Linux)
    /// Some containers and systems refuse namespaces to an ordinary user.
    private let isPermitted = (try? ExternalTool.run(["unshare", "-rn", "true"]))?.status == 0

    @Suite(.enabled(if: isPermitted, "the system refuses network namespaces")) struct NetworkNamespaceTests {
        /// A program that we did not write finds no device but its own loopback and no way out, and a server outside through it.
        @Test(.enabled(if: Python.isThere)) func aProgramInsideReachesItsServerOnly() throws {
            let folder = try TemporaryFolder()
            let namespace = try NetworkNamespace(sockets: 2)
            let ports = try namespace.sockets.map(Self.port)
            let script = """
                import socket, sys
                print(sorted(name for number, name in socket.if_nameindex()))
                for address in [('192.0.2.1', 80), ('127.0.0.1', 9)]:
                    try:
                        socket.create_connection(address, 10)
                        print('connected')
                    except OSError as error:
                        print(error.strerror)
                for port in sys.argv[1:]:
                    print(socket.create_connection(('127.0.0.1', int(port))).recv(100).decode())
                """
            let ended = DispatchSemaphore(value: 0)
            let process = try BrowserProcess(
                ["/usr/bin/python3", "-c", script] + ports.map(String.init), environment: [:],
                log: folder.path("log"), descriptors: [], namespace: namespace
            ) { _ in ended.signal() }
            for (number, listener) in namespace.sockets.enumerated() {
                // One that nobody connects to would be waited for without end.
                var waiting = pollfd(fd: listener.rawValue, events: Int16(POLLIN), revents: 0)
                try #require(poll(&waiting, 1, Int32(waitingLimit) * 1000) == 1)
                let connection = FileDescriptor(rawValue: accept(listener.rawValue, nil, nil))
                try connection.closeAfter { _ = try connection.writeAll(Array("server \(number)".utf8)) }
                try listener.close()
            }
            #expect(ended.wait(timeout: .now() + waitingLimit) == .success)
            #expect(!process.isRunning)
            let lines = try String(decoding: folder.read("log"), as: UTF8.self).split(separator: "\n")
            #expect(
                lines == ["['lo']", "Network is unreachable", "Connection refused", "server 0", "server 1"])
        }

        /// The port on which a socket listens, as the system has it.
        private static func port(of socket: FileDescriptor) throws -> Int {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutableBytes(of: &address) { bytes in
                getsockname(socket.rawValue, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
            }
            try #require(status == 0)
            return Int(UInt16(bigEndian: address.sin_port))
        }

        /// Nothing of one that no one uses is left: this process may make many.
        @Test func descriptorsAreClosed() throws {
            func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            func make() throws {
                for socket in try NetworkNamespace(sockets: 16).sockets { try socket.close() }
            }
            try make()
            // Other tests of this process open files meanwhile, but not by the hundred.
            let before = try count()
            for _ in 0..<20 { try make() }
            #expect(try count() < before + 200)
        }
    }
#endif
