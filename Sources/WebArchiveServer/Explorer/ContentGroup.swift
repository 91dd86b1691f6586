// SPDX-License-Identifier: Apache-2.0

/// A group of media types of one purpose.
enum ContentGroup: String, CaseIterable, Sendable {
    /// The groups in the order of the legend. Their names are the classes of the map's style, and the keys of the JSON.
    case page, style, script, image, font, media, data, other

    /// Creates the group of a media type.
    ///
    /// - Parameter mediaType: the media type in lower case, without parameters.
    init(_ mediaType: String) {
        let parts = mediaType.split(separator: "/", maxSplits: 1)
        let subtype = parts.count > 1 ? parts[1] : ""
        switch parts.first ?? "" {
        case "image": self = .image
        case "font": self = .font
        case "audio", "video": self = .media
        case "text" where subtype == "html": self = .page
        case "text" where subtype == "css": self = .style
        case _ where subtype.hasSuffix("javascript") || subtype == "wasm": self = .script
        case "text": self = .data
        case "application" where subtype == "xhtml+xml": self = .page
        case "application" where subtype.hasPrefix("font-") || subtype.hasPrefix("x-font"): self = .font
        case "application" where subtype.hasSuffix("json") || subtype.hasSuffix("xml"): self = .data
        default: self = .other
        }
    }

    /// The name for people, in the plural.
    var name: String {
        switch self {
        case .page: "Pages"
        case .style: "Styles"
        case .script: "Scripts"
        case .image: "Images"
        case .font: "Fonts"
        case .media: "Audio and video"
        case .data: "Text and data"
        case .other: "Other"
        }
    }
}
