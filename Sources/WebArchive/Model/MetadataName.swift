// SPDX-License-Identifier: Apache-2.0

/// The names of metadata values with a meaning for programs. Specification section 7, "Metadata".
package enum MetadataName {
    /// The URL of the main page.
    package static let mainPage = "mainPage"
    /// The URLs of rule files, separated by spaces. Specification section 8.7.
    package static let redirectRules = "redirectRules"
    /// The URL of the root of a packed folder: the root of unpacking; not part of the specification.
    package static let baseURL = "x-base-url"
    /// Whether the archive has all records of the files from which it was imported: ``allRecords`` or ``someRecords``; not part of the specification.
    package static let records = "x-records"
    package static let allRecords = "all"
    package static let someRecords = "some"
}
