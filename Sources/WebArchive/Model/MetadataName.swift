// SPDX-License-Identifier: Apache-2.0

/// The names of metadata values that programs act upon. Specification section 7, "Metadata".
package enum MetadataName {
    /// The URL of the page to begin with.
    package static let mainPage = "mainPage"
    /// The URLs of rule files, separated by spaces. Specification section 8.7.
    package static let redirectRules = "redirectRules"
    /// The URL of the root of a folder that was packed: where unpacking has its root, and not of the specification.
    package static let baseURL = "x-base-url"
}
