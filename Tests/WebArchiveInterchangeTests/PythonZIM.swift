// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// A maker of ZIM files, also of those that no writer makes any more. Debian's `zimcheck` accepts what it makes by default.
struct PythonZIM {
    var folder: TemporaryFolder
    var major = 5
    var minor = 0
    /// The media types.
    var types = ["text/html", "text/plain", "image/png"]
    var entries: [Entry] = []
    var clusters: [Cluster] = []
    /// The number of the main page.
    var mainPage = 0xFFFF_FFFF
    /// Whether the file has an MD5, and with it a header of 80 bytes.
    var hasChecksum = true

    /// An entry of the directory. The maker does not sort them.
    struct Entry: Encodable {
        var namespace: String
        var path: String
        var title = ""
        /// The number of the media type; nil for a redirect.
        var type: Int?
        var cluster = 0
        var blob = 0
        /// The number of the entry to which a redirect leads.
        var target = 0

        static func blob(_ path: String, _ cluster: Int, _ blob: Int, type: Int = 0) -> Entry {
            Entry(
                namespace: String(path.prefix(1)), path: String(path.dropFirst(2)), type: type, cluster: cluster,
                blob: blob)
        }

        static func redirect(_ path: String, _ target: Int) -> Entry {
            Entry(namespace: String(path.prefix(1)), path: String(path.dropFirst(2)), target: target)
        }
    }

    struct Cluster: Encodable {
        /// The method of compression: 1 for none, 4 for xz.
        var method = 1
        /// Whether offsets have 64 bits.
        var isExtended = false
        var blobs: [Data]
        /// The number of zeros behind the last blob, which belong to it.
        var zeros = 0

        init(_ blobs: String..., method: Int = 1, isExtended: Bool = false) {
            (self.blobs, self.method, self.isExtended) = (blobs.map { Data($0.utf8) }, method, isExtended)
        }
    }

    private struct Plan: Encodable {
        let major, minor, mainPage: Int
        let types: [String]
        let entries: [Entry]
        let clusters: [Cluster]
        let hasChecksum: Bool
    }

    private static let script = """
        import base64, hashlib, json, lzma, struct, sys
        plan = json.load(sys.stdin)
        def u16(*n): return struct.pack(f"<{len(n)}H", *n)
        def u32(*n): return struct.pack(f"<{len(n)}I", *n)
        def u64(*n): return struct.pack(f"<{len(n)}Q", *n)
        length = 80 if plan["hasChecksum"] else 72
        types = b"".join(one.encode() + b"\\0" for one in plan["types"]) + b"\\0"
        body, entries, clusters = bytearray(types), [], []
        for one in plan["entries"]:
            entries.append(length + len(body))
            head = bytes([0]) + one["namespace"].encode() + u32(0)
            if "type" in one: body += u16(one["type"]) + head + u32(one["cluster"], one["blob"])
            else: body += u16(0xFFFF) + head + u32(one["target"])
            body += one["path"].encode() + b"\\0" + one["title"].encode() + b"\\0"
        for one in plan["clusters"]:
            clusters.append(length + len(body))
            blobs = [base64.b64decode(blob) for blob in one["blobs"]]
            blobs[-1] += bytes(one["zeros"])
            pack = u64 if one["isExtended"] else u32
            place = (len(blobs) + 1) * len(pack(0))
            places = [place] + [place := place + len(blob) for blob in blobs]
            data = pack(*places) + b"".join(blobs)
            if one["method"] == 4: data = lzma.compress(data, check=lzma.CHECK_CRC32)
            body += bytes([one["method"] | (0x10 if one["isExtended"] else 0)]) + data
        def put(numbers):
            place = length + len(body)
            body.extend(numbers)
            return place
        entry_list = put(u64(*entries))
        order = sorted(range(len(entries)), key=lambda n: (plan["entries"][n]["namespace"], plan["entries"][n]["title"] or plan["entries"][n]["path"]))
        titles = put(u32(*order))
        cluster_list = put(u64(*clusters))
        out = u32(72173914) + u16(plan["major"], plan["minor"]) + bytes(range(16)) + u32(len(entries), len(clusters))
        out += u64(entry_list, titles, cluster_list, length) + u32(plan["mainPage"], 0xFFFFFFFF)
        if plan["hasChecksum"]: out += u64(80 + len(body))
        out += body
        if plan["hasChecksum"]: out += hashlib.md5(out).digest()
        open(sys.argv[1], "wb").write(out)
        """

    /// Makes a file; returns its path.
    func callAsFunction(_ name: String = "made.zim") throws -> FilePath {
        let plan = Plan(
            major: major, minor: minor, mainPage: mainPage, types: types, entries: entries, clusters: clusters,
            hasChecksum: hasChecksum)
        let result = try ExternalTool.run(
            ["python3", "-c", Self.script, folder.path(name).string], input: JSONEncoder().encode(plan))
        try #require(result.status == 0, "\(result.errorText)")
        return folder.path(name)
    }
}
