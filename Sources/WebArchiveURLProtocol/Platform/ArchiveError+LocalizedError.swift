// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WebArchive

/// The texts of an error for Foundation, in English. The library itself does without Foundation, which has this protocol.
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
        case .leaveOut: "Exclude the file."
        case .allowOutsideLinks: "Allow links that lead outside the folder, or exclude the link."
        case .overwrite: "Allow existing files to be replaced."
        case .separateHosts: "Use a folder for each host, or choose one host."
        case .raiseLimit: "Choose a higher limit."
        case .makeAuthority: "Create a new certificate authority."
        case .nameHosts: "Choose fewer hosts."
        case .ownAuthority: "Create a certificate authority for this host only."
        case .ownFolder: "Choose a folder that belongs to you."
        case .replaceAuthority: "Replace the certificate authority, or create one in another folder."
        case .otherPort: "Choose another port."
        case .unprivilegedPort: "Choose port 1024 or higher; lower ports need privileges."
        case .ownAddress: "Choose an address of this device."
        case .copyAgain: "Fetch or copy the file again."
        case .unpackFirst: "Unpack the file, and pack the folder."
        case .importFirst: "Import the file into an archive."
        case .savePagesFirst: "Save the pages of the file as files, and pack their folder."
        case .packFirst: "Pack the file or the folder."
        case .compactFirst: "Compact the archive."
        case .signAgain: "Sign the archive again, or compact it."
        case .raiseSequence: "Sign the archive with a higher sequence number."
        case .keepSeries: "Pack the archive like the previous edition, with the same base URL."
        case .signWithFormerKey:
            "Sign with the former key as well, add an endorsement of the new key, or name the former key."
        case .trustNewKey: "Trust the publisher's new key, or use an endorsement of it by the old one."
        case .nameReleaseFolder: "Give the address of a release folder."
        case .acceptExpired: "Wait for a new release of the publisher, or accept the expired list."
        case .makeKey: "Create an Ed25519 key."
        case .decryptKey: "Decrypt the key first."
        case .makeEndorsement: "Create an endorsement with the old key."
        case .nameBrowser: "Choose an installed browser."
        case .installBrowser: "Install Chromium, Firefox or cog, or choose an installed browser."
        case .startHeadless: "Start in a graphical session, or without a window."
        default: nil
        }
    }
}
