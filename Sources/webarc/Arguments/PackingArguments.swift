// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive
import WebArchivePacking
import WebArchivePresentation
import WebarcCommandLine

/// The options for a packed archive's metadata.
struct MetadataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The main page: a URL, or a path relative to the base URL. (default: index.html, else the topmost page, preferably with a usual name such as home.html; none if several qualify)",
            valueName: "url"))
    var mainPage: String?

    @Option(help: ArgumentHelp("The title of the archive.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("The main language of the archive, as a BCP 47 tag: en, de-AT.", valueName: "tag"))
    var language: String?

    @Option(help: ArgumentHelp("The creator of the archive.", valueName: "text"))
    var creator: String?

    @Option(help: ArgumentHelp("A description of the archive.", valueName: "text"))
    var description: String?

    @Option(
        help: ArgumentHelp(
            "The creation date of the archive: 2025-01-31 or 2025-01-31T12:00:00Z (RFC 3339).", valueName: "date"))
    var date: String?

    func validate() throws {
        if let date, !Timestamp.isDate(date) {
            throw ValidationError(
                "--date takes a date such as 2025-01-31 or 2025-01-31T12:00:00Z, not '\(date)'")
        }
        let letters = language?.utf8.allSatisfy {
            UInt8(ascii: "-") == $0 || Character(UnicodeScalar($0)).isAlphanumeric
        }
        if let language, language.isEmpty || letters == false {
            throw ValidationError("--language takes a tag such as en or de-AT, not '\(language)'")
        }
    }

    /// Returns the values by their names in an archive.
    func values(base: String) throws -> [String: String] {
        var values: [String: String] = [:]
        values["title"] = title
        values["language"] = language
        values["creator"] = creator
        values["description"] = description
        values["date"] = date
        values[MetadataName.mainPage] = try mainPage.map { page in
            do {
                return try CanonicalURL(base.hasSuffix("/") ? base : base + "/").resolving(page).description
            } catch {
                throw ValidationError("--main-page takes a URL or a path, not '\(page)': \(error)")
            }
        }
        return values
    }
}

extension Character {
    fileprivate var isAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}

/// The options that select the files to pack.
struct SelectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Pack only files that match, as in .gitignore: '*.html', '/docs/**'. May be given several times.",
            valueName: "pattern"))
    var include: [PatternArgument] = []

    @Option(
        help: ArgumentHelp(
            "Exclude files and folders that match. May be given several times; takes precedence over --include.",
            valueName: "pattern"))
    var exclude: [PatternArgument] = []

    @Flag(
        help:
            "Follow symbolic links that point outside the folder. Without this option, they are skipped with a warning."
    )
    var allowOutsideLinks = false

    @Flag(
        help:
            "Fail instead of skipping a symbolic link that points outside the folder, is dangling, or is part of a loop."
    )
    var strictLinks = false

    func validate() throws {
        for pattern in include { try pattern.check("--include") }
        for pattern in exclude { try pattern.check("--exclude") }
    }
}

struct CompressionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The LZ4 compression level: fast, or 1 (quick) to 12 (small). Reading is equally fast at every level.",
            valueName: "level"),
        completion: .list(["fast"] + (1...12).map(String.init)))
    var level = Level(value: .standard)

    @Flag(help: "Compress without dictionaries made from the content itself.")
    var noDictionary = false

    struct Level: FormedArgument {
        static let form = "fast or 1 to 12"

        let value: CompressionLevel

        init(value: CompressionLevel) { self.value = value }

        init?(argument: String) {
            guard let value = CompressionLevel(argument) else { return nil }
            self.value = value
        }

        var defaultValueDescription: String { value.description }
    }
}
