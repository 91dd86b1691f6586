// SPDX-License-Identifier: Apache-2.0

/// The parameters of the query of a request, for the comparison with stored ones. Specification section 8.5.
struct QueryParameters {
    /// The kinds of parameters that may be ignored, in the order of their rules.
    let kinds: [ParameterKind]
    /// The parameters that count, for each of ``kinds`` as the last one that is ignored; none if they form an empty query.
    let wanted: [[ArraySlice<UInt8>]]
    /// The parameters that name a function.
    let functions: [ArraySlice<UInt8>]

    /// Takes a query apart once for all kinds.
    ///
    /// - Throws: `limitExceeded` beyond the budget: a client chooses the length of its query.
    init(
        of query: ArraySlice<UInt8>, _ kinds: [ParameterKind], _ variants: URLVariants, within budget: DecodingBudget?
    ) throws(ArchiveError) {
        try budget?.take(Self.costOfByte * query.count)
        let parameters = query.split(separator: .ascii("&"), omittingEmptySubsequences: false).map {
            (text: $0, kind: variants.kind(of: $0, isWhole: $0.count == query.count))
        }
        wanted = kinds.map { kind in
            let rest = parameters.filter { $0.kind.map { $0 > kind } ?? true }.map(\.text)
            return rest == [[]] ? [] : rest
        }
        self.kinds = kinds
        functions = ParameterKind.functionNames(in: query)
    }

    /// The cost of a byte of a query: taking it apart costs more than decoding it.
    static let costOfByte = 8
}
