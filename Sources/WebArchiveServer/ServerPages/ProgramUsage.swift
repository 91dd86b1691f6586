// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The usage of the program around a server, for the server's own pages.
package struct ProgramUsage: Sendable {
    /// A metric, for `/-/metrics`.
    package struct Metric: Sendable {
        /// The two kinds of metrics, by Prometheus' names.
        package enum Kind: String, Sendable {
            /// A number that never falls while the program runs.
            case counter
            /// A number that may fall as well.
            case gauge
        }

        /// The name without its prefix `webarc_`.
        let name: String
        /// The text of the line `HELP`.
        let help: String
        /// The kind, for the line `TYPE`.
        let kind: Kind
        /// The value at the time of the metric's creation.
        let value: UInt64

        /// Creates a metric.
        ///
        /// - Parameters:
        ///   - name: the name, without `webarc_`.
        ///   - help: the help, in one line.
        ///   - kind: the kind; a counter by default.
        ///   - value: the number; a negative one counts as 0.
        package init(name: String, help: String, kind: Kind = .counter, value: some BinaryInteger) {
            (self.name, self.help, self.kind, self.value) = (name, help, kind, UInt64(clamping: value))
        }

        /// The metric in the text format of Prometheus, version 0.0.4.
        package var prometheusText: String {
            "# HELP webarc_\(name) \(help)\n# TYPE webarc_\(name) \(kind.rawValue)\nwebarc_\(name) \(value)\n"
        }
    }

    /// A function that returns the metrics; it may be called on any thread, and from several at once.
    let metrics: @Sendable () -> [Metric]
    /// A function that returns the usage as JSON, under the same conditions.
    let json: @Sendable () -> JSONValue

    /// Creates the usage from functions that are called for each page.
    ///
    /// - Parameters:
    ///   - metrics: a function that returns the metrics.
    ///   - json: a function that returns the value for `/-/usage`.
    package init(metrics: @escaping @Sendable () -> [Metric], json: @escaping @Sendable () -> JSONValue) {
        (self.metrics, self.json) = (metrics, json)
    }
}
