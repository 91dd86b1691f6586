// SPDX-License-Identifier: Apache-2.0

import NIOPosix

/// The threads for work that a slow file system may delay.
struct CatalogueThreads: Sendable {
    typealias Work = @Sendable () -> Void

    /// A function that runs work on one of the threads, when one is free.
    let run: @Sendable (@escaping Work) -> Void

    init(run: @escaping @Sendable (@escaping Work) -> Void) { self.run = run }

    /// Starts threads, which end with the last reference to them.
    init(count: Int) {
        let pool = Pool(count: count)
        run = { work in pool.submit(work) }
    }

    /// A pool of threads that end with its last reference; pending work is then not done.
    private final class Pool: Sendable {
        private let threads: NIOThreadPool

        init(count: Int) {
            threads = NIOThreadPool(numberOfThreads: count)
            threads.start()
        }

        deinit { threads.shutdownGracefully { _ in } }

        func submit(_ work: @escaping Work) {
            threads.submit { state in
                if case .active = state { work() }
            }
        }
    }
}
