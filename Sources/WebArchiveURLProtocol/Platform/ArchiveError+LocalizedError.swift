// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WebArchive

/// The texts of an error for Foundation, in English.
extension ArchiveError: LocalizedError {
    /// The path, the fault, the byte offset and the cause.
    public var errorDescription: String? { description }

    /// The fault.
    public var failureReason: String? { message }

    /// A sentence about the suggested recovery; nil if there is none that a caller can offer.
    public var recoverySuggestion: String? {
        switch recovery {
        case .joinParts: "Join the parts of the archive, or open the first one to read it."
        case .openFirstPart: "Open the first part."
        case .leaveOut: "Leave the file out."
        case .allowOutsideLinks: "Allow links that lead outside the folder, or leave the link out."
        case .overwrite: "Allow existing files to be replaced."
        case .separateHosts: "Give each host a folder of its own, or choose one host."
        case .raiseLimit: "Choose a higher limit."
        case .makeAuthority: "Make a new certificate authority."
        case .nameHosts: "Name fewer hosts."
        case .ownAuthority: "Make a certificate authority for this host alone."
        case .ownFolder: "Choose a folder that belongs to you."
        case .replaceAuthority: "Replace the certificate authority, or make another one in another folder."
        case .otherPort: "Choose another port."
        case .unprivilegedPort: "Choose a port from 1024 on: those below need privileges."
        case .ownAddress: "Choose an address of this device."
        case .copyAgain: "Fetch or copy the file again."
        case .unpackFirst: "Unpack the file, and pack the folder."
        case .savePagesFirst: "Save the pages of the file as files, and pack their folder."
        case .packFirst: "Pack the file or the folder."
        case .compactFirst: "Compact the archive."
        case .signAgain: "Sign the archive again, or compact it."
        case .raiseSequence: "Sign the archive with a higher sequence number."
        case .nameReleaseFolder: "Give the address of a release folder."
        case .makeKey: "Make a key of Ed25519."
        case .decryptKey: "Decrypt the key first."
        case .makeEndorsement: "Make an endorsement with the older key."
        case .nameBrowser: "Choose a browser that is installed."
        case .installBrowser: "Install Chromium, Firefox or cog, or choose a browser that is installed."
        case .startHeadless: "Start it in a graphical session, or without a window."
        default: nil
        }
    }
}
