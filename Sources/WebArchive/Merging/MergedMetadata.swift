// SPDX-License-Identifier: Apache-2.0

/// The metadata of several archives as that of one: of each name the value of the first archive that has it. Specification section 7.
struct MergedMetadata {
    /// The names that an archive before has.
    private var names: Set<[UInt8]> = []
    /// The URLs of rule files, in the order of the archives.
    private(set) var ruleFiles: [[UInt8]] = []

    /// Takes the values that no archive before has, without the list of rule files, which is one list for all.
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

    /// Rule files that are listed; readers look at fewer.
    private static let limit = 1024

    /// The rule files at which readers do not look.
    var unusedRuleFiles: Int { max(0, ruleFiles.count - SiteRules.fileLimit) }
}
