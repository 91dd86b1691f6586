// SPDX-License-Identifier: Apache-2.0

package import WebArchivePresentation

/// The usage of the program around a server, for the server's own pages.
package struct ProgramUsage: Sendable {
    /// A counter, for `/-/metrics`.
    package struct Metric: Sendable {
        let name: String
        let help: String
        let value: Int

        /// Creates a counter.
        ///
        /// - Parameters:
        ///   - name: the name, without `webarc_`.
        ///   - help: the help, in one line.
        package init(name: String, help: String, value: Int) {
            (self.name, self.help, self.value) = (name, help, value)
        }

        /// The metrics in the text format of Prometheus, version 0.0.4.
        var prometheusText: String {
            "# HELP webarc_\(name) \(help)\n# TYPE webarc_\(name) counter\nwebarc_\(name) \(value)\n"
        }
    }

    let metrics: @Sendable () -> [Metric]
    let json: @Sendable () -> JSONValue

    /// Creates the usage from functions that are called for each page.
    ///
    /// - Parameters:
    ///   - metrics: a function that returns the counters since the start.
    ///   - json: a function that returns the value for `/-/usage`.
    package init(metrics: @escaping @Sendable () -> [Metric], json: @escaping @Sendable () -> JSONValue) {
        (self.metrics, self.json) = (metrics, json)
    }
}
