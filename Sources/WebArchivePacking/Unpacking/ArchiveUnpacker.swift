// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import SystemPackage
public import WebArchive

/// An unpacker of an archive into a folder: each URL's newest response becomes a file.
///
/// ```swift
/// let archive = try ArchiveReader(path: "docs.webarc")
/// let result = try ArchiveUnpacker(archive, into: "out").run()
/// print("\(result.files) files, \(result.bytes) bytes")
/// for (url, error) in result.failures { print(url, error) }
/// ```
///
/// A file that was packed comes back byte for byte, with its name and its time of modification. Only responses to GET are
/// written; redirects and aliases become no files. Queries and names that a folder cannot hold become escaped names, which begin with
/// `%webarc%`; see ``URLFileName``.
///
/// Nothing is ever written outside the destination: names are made from URLs, no component is `..` or empty, and folders are reached by
/// handles through no symbolic link. A damaged body is left out and listed in the summary, and everything else is still written.
public struct ArchiveUnpacker: Sendable {
    /// The archive to unpack.
    public let archive: ArchiveReader
    /// The folder to write to; it and its ancestors are created if missing.
    public let destination: FilePath
    /// The options of unpacking.
    public let options: Options

    /// Creates an unpacker, and accesses no file; ``run(progress:)`` does the work.
    ///
    /// - Parameters:
    ///   - archive: the archive to unpack.
    ///   - destination: the folder to write to. It need not be empty; files that exist stay, unless ``Options/overwrites`` says
    ///     otherwise.
    ///   - options: the options; all of the archive, on one thread, by default.
    public init(
        _ archive: ArchiveReader, into destination: FilePath,
        options: Options = Options()
    ) {
        self.archive = archive
        self.destination = destination
        self.options = options
    }

    /// Unpacks, and returns when all files have their names.
    ///
    /// All entries are listed and all paths are checked before the first file is written. Files are written in the order in which their
    /// bodies are stored, so that a block that several share is decoded once. They are not synchronised to disk.
    ///
    /// - Parameter progress: a function that is called after each 64 files, from any of the threads, and from several at once with
    ///   ``Options/threads`` above 1. The total of items is known, that of bytes is not. A file that fails is an item that is done.
    /// - Returns: the counts, and the failures of single files and folders.
    /// - Throws: `damaged` or `io` if the index cannot be read; `limitExceeded` if its entries decode to more than specification section 10
    ///   requires; `invalidArgument` for a flat layout of several hosts; `io` if the destination cannot be made or opened; `limitExceeded`
    ///   before anything is written if files and folders exceed ``ArchiveUnpacker/Options/maximumBytes``; `notFound` if no
    ///   file has a URL with ``ArchiveUnpacker/Options/urlPrefix``. Faults of single files are in the summary.
    public func run(
        progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        let plan = try UnpackingPlan(archive, options)
        guard options.urlPrefix.isEmpty || !plan.isEmpty else {
            throw ArchiveError(.notFound, "no entry matches \(options.urlPrefix)", path: archive.name)
        }
        let root = try DestinationRoot(destination)
        let top = DestinationFolder(root)
        var summary = Summary()
        summary.failures = plan.failures
        for folder in plan.folders {
            do throws(ArchiveError) {
                try top.makeFolder(folder)
            } catch {
                summary.failures.append((String(decoding: folder, as: UTF8.self), error))
            }
        }
        let files = inStorageOrder(plan.files)
        let work = UnpackingWork(files: files, root: root, options: options, report: progress)
        let threads = max(1, options.threads)
        if threads == 1 {
            work.run()
        } else {
            DispatchQueue.concurrentPerform(iterations: threads) { _ in work.run() }
        }
        let result = work.result()
        summary.files = result.files
        summary.bytes = result.progress.bytes
        summary.failures += result.failures.sorted { $0.number < $1.number }.map { ($0.url, $0.error) }
        return summary
    }

    /// Sorts files by the positions of their bodies, so that a block that several bodies share is decoded once.
    private func inStorageOrder(_ files: [UnpackingPlan.File]) -> [UnpackingPlan.File] {
        let keyed = files.enumerated().map { number, file in
            (place: (try? file.entry.body?.storagePlace) ?? 0, number: number)
        }
        return keyed.sorted { ($0.place, $0.number) < ($1.place, $1.number) }.map { files[$0.number] }
    }
}

/// The files that several threads write.
private final class UnpackingWork: Sendable {
    /// The shared state of the threads.
    struct State {
        /// The number of the first file that no thread has taken.
        var next = 0
        /// The number of written files.
        var files = 0
        /// The finished files, failed ones included, and the bytes of the others.
        var progress = WorkProgress()
        /// The failed files with their numbers, by which they are sorted at the end.
        var failures: [(number: Int, url: String, error: ArchiveError)] = []
    }

    /// The files in the order in which their bodies are stored.
    private let files: [UnpackingPlan.File]
    private let root: DestinationRoot
    private let options: ArchiveUnpacker.Options
    /// A function that is called by any thread after its files, perhaps by several at once; nil for none.
    private let report: (@Sendable (WorkProgress) -> Void)?
    private let monitor: Monitor<State>
    /// The number of files that a thread takes at once, and after which it reports.
    private static let batch = 64

    init(
        files: [UnpackingPlan.File], root: DestinationRoot, options: ArchiveUnpacker.Options,
        report: (@Sendable (WorkProgress) -> Void)?
    ) {
        self.files = files
        self.root = root
        self.options = options
        self.report = report
        var state = State()
        state.progress.totalItems = files.count
        monitor = Monitor(state)
    }

    /// Returns the counts. They are complete when ``run()`` has returned on each thread.
    func result() -> State { monitor.update { $0 } }

    /// Takes 64 files at a time until none is left; called on each thread, with a folder handle of its own.
    func run() {
        let folder = DestinationFolder(root)
        while true {
            let start = monitor.update { state in
                defer { state.next += Self.batch }
                return state.next
            }
            guard start < files.count else { return }
            var done = (files: 0, bytes: UInt64(0))
            var failures: [(number: Int, url: String, error: ArchiveError)] = []
            for number in start..<min(start + Self.batch, files.count) {
                do throws(ArchiveError) {
                    done.bytes += try write(files[number], into: folder)
                    done.files += 1
                } catch {
                    failures.append((number, (try? files[number].entry.key) ?? "", error))
                }
            }
            let progress = monitor.update { state in
                state.files += done.files
                state.progress.items += done.files + failures.count
                state.progress.bytes += done.bytes
                state.failures += failures
                return state.progress
            }
            report?(progress)
        }
    }

    /// Writes one file, each block checked before its bytes are written, and returns its length in bytes.
    private func write(_ file: UnpackingPlan.File, into folder: DestinationFolder) throws(ArchiveError) -> UInt64 {
        let body = try file.entry.body
        try folder.writeFile(file.path, modified: file.entry.modified, overwrites: options.overwrites) {
            (sink) throws(ArchiveError) in
            try body?.forEachBuffer { chunk throws(ArchiveError) in try sink(chunk) }
        }
        return body?.length ?? 0
    }
}
