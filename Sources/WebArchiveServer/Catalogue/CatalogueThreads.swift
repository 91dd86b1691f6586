// SPDX-License-Identifier: Apache-2.0

import NIOPosix

/// The threads for work that a slow file system may delay.
struct CatalogueThreads: Sendable {
    /// The work for a thread. It may block for as long as the file system needs.
    typealias Work = @Sendable () -> Void

    /// A function that runs work on one of the threads, when one is free.
    let run: @Sendable (@escaping Work) -> Void

    /// Creates threads from a function, which a test may control.
    ///
    /// - Parameter run: the function, which need not call the work at all.
    init(run: @escaping @Sendable (@escaping Work) -> Void) { self.run = run }

    /// Starts threads, which end with the last reference to them.
    ///
    /// - Parameter count: the number of threads, which is the number of archives that a slow file system may occupy at once.
    init(count: Int) {
        let pool = Pool(count: count)
        run = { work in pool.submit(work) }
    }

    /// A pool of threads that end with its last reference; pending work is then not done.
    private final class Pool: Sendable {
        /// The pool of SwiftNIO. Each of its threads does one work at a time.
        private let threads: NIOThreadPool

        /// Starts the threads at once.
        init(count: Int) {
            threads = NIOThreadPool(numberOfThreads: count)
            threads.start()
        }

        deinit { threads.shutdownGracefully { _ in } }

        /// Queues work without limit, and returns at once. Work that is still queued when the pool ends is released
        /// without a call.
        func submit(_ work: @escaping Work) {
            threads.submit { state in
                if case .active = state { work() }
            }
        }
    }
}
