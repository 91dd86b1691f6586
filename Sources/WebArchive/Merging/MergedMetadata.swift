// SPDX-License-Identifier: Apache-2.0

/// The merged metadata of several archives: for each name the value of the first archive that has it. Specification section 7.
struct MergedMetadata {
    /// The names of earlier archives.
    private var names: Set<[UInt8]> = []
    /// The URLs of rule files, in the order of the archives.
    private(set) var ruleFiles: [[UInt8]] = []

    /// Takes the values that no earlier archive has, except the list of rule files, which is one list for all.
    mutating func take(_ rows: [MetadataRow]) -> [MetadataRow] {
        rows.filter { row in
            guard !row.nameBytes.elementsEqual(MetadataName.redirectRules.utf8) else {
                for file in (row.text ?? []).split(separator: UInt8(ascii: " ")).map({ Array($0) })
                where !ruleFiles.contains(file) && ruleFiles.count < Self.limit {
                    ruleFiles.append(file)
                }
                return false
            }
            // A name without a value hides earlier ones of its own archive.
            return (row.text != nil || row.body != nil) && names.insert(row.nameBytes).inserted
        }
    }

    /// The maximum number of listed rule files; readers use fewer.
    private static let limit = 1024

    /// The number of rule files that readers do not use.
    var unusedRuleFiles: Int { max(0, ruleFiles.count - SiteRules.fileLimit) }
}
