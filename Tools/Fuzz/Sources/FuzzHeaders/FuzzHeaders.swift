// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchivePacking

/// `_headers` files: reading them, and what they make of requests.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHeaders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(RuleFileError) {
            let rules = try HeaderRules(parsing: text)
            let again = try? HeaderRules(parsing: text)
            expect(again?.rules == rules.rules, "other rules this time")
            check(rules)
        } catch {
            expect(!error.description.isEmpty && error.line >= 0, "an error that says nothing")
            expect((try? HeaderRules(parsing: text)) == nil, "no error this time")
        }
    }
}

private func check(_ rules: HeaderRules) {
    for rule in rules.rules {
        expect(rule.line > 0, "a rule without a line")
        expect(rule.fields.allSatisfy { !$0.value.isEmpty }, "a field without a value")
    }
    for path in requestPaths(for: rules.rules.map(\.pattern)) {
        for host in [nil, "a.b:8080", "site.example"] {
            let fields = rules.fields(forPath: path, host: host)
            expect(fields == rules.fields(forPath: path, host: host), "other fields this time")
            for field in fields { check(field) }
        }
        var fields = [("X-Before", "1"), ("x-before", "2"), ("Set-Cookie", "a=b")].map { (name: $0.0, value: $0.1) }
        rules.apply(to: &fields, path: path, host: "site.example")
        for field in fields { check(HeaderRuleField(name: field.name, value: field.value)) }
    }
}

/// No field may end a line, whatever the path put into it.
private func check(_ field: HeaderRuleField) {
    expect(!field.name.isEmpty && field.name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a name of other bytes")
    expect(field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a value with control characters")
    expect(field.value.utf8.count <= HeaderRules.valueLimit, "a value of \(field.value.utf8.count) bytes")
}
