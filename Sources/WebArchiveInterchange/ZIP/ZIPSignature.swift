// SPDX-License-Identifier: Apache-2.0

/// The signatures of the structures of a ZIP file, as little-endian numbers. APPNOTE section 4.3.
enum ZIPSignature {
    static let local: UInt32 = 0x0403_4B50
    static let descriptor: UInt32 = 0x0807_4B50
    static let directory: UInt32 = 0x0201_4B50
    static let end: UInt32 = 0x0605_4B50
    static let locator: UInt32 = 0x0706_4B50
    static let wideEnd: UInt32 = 0x0606_4B50
}
