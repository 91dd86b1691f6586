// SPDX-License-Identifier: Apache-2.0

/// A condition of a redirect rule on the client, such as `Country=au,nz`. Specification section 8.7.
///
/// Values are in lower case.
package enum RuleCondition: Sendable, Hashable {
    /// The client is in one of these countries, by ISO 3166-1 alpha-2 code.
    case country([String])
    /// The client prefers one of these languages.
    case language([String])
    /// The request has a cookie of one of these names.
    case cookie([String])

    /// Creates a condition; nil for an unknown name.
    init?(name: String, value: String) {
        let values = value.asciiLowercased.split(separator: ",").map(String.init)
        switch name.asciiLowercased {
        case "country": self = .country(values)
        case "language": self = .language(values)
        case "cookie": self = .cookie(values)
        default: return nil
        }
    }

    /// The number of values that are compared.
    var valueCount: Int {
        switch self {
        case .country(let values), .language(let values), .cookie(let values): values.count
        }
    }

    /// Returns whether the condition holds for a client.
    func holds(for client: RuleClient) -> Bool {
        switch self {
        case .country(let countries):
            return client.country.map(countries.contains) ?? false
        case .language(let languages):
            guard let language = client.language else { return false }
            return languages.contains(language) || languages.contains(String(language.prefix { $0 != "-" }))
        case .cookie(let names):
            return names.contains { client.cookies[$0] != nil }
        }
    }
}

/// The facts about the client of one request that the conditions of redirect rules use.
package final class RuleClient {
    private let headers: HeaderFields
    private let ownCountry: String?
    /// Whether a rule matched except for its conditions, so that a different client may get a different response.
    package internal(set) var isAskedAbout = false

    /// Creates the facts about a client; fields are read when a condition needs them.
    ///
    /// - Parameters:
    ///   - headers: the headers of the request: `Cookie` and `Accept-Language` count.
    ///   - country: the country of the reader, by ISO 3166-1 alpha-2 code; nil for none.
    package init(_ headers: HeaderFields, country: String?) {
        self.headers = headers
        ownCountry = country
    }

    /// The cookies by their names in lower case; of several the first. At most 100 count.
    private(set) lazy var cookies: [String: String] = {
        let fields = headers.values(named: "Cookie")
        let pairs = fields.flatMap { $0.split(separator: ";", maxSplits: 100).prefix(100) }.prefix(100).map { pair in
            let pair = pair.drop { $0 == " " }
            let name = pair.prefix { $0 != "=" }
            return (String(name).asciiLowercased, String(pair.dropFirst(name.count + 1)))
        }
        return [String: String](pairs) { first, _ in first }
    }()

    /// The country of the cookie `nf_country`, or that of the reader; in lower case.
    var country: String? { (cookies["nf_country"] ?? ownCountry)?.asciiLowercased }

    /// The language of the cookie `nf_lang`, or the first one of the largest weight in `Accept-Language`; in lower
    /// case.
    private(set) lazy var language: String? =
        cookies["nf_lang"]?.asciiLowercased ?? AcceptLanguage(headers.values(named: "Accept-Language")).preferred
}
