// SPDX-License-Identifier: Apache-2.0

import NIOPosix

/// Threads for work that a file system may keep waiting.
struct CatalogueThreads: Sendable {
    typealias Work = @Sendable () -> Void

    /// Has work done on one of the threads, when one is free.
    let run: @Sendable (@escaping Work) -> Void

    init(run: @escaping @Sendable (@escaping Work) -> Void) { self.run = run }

    /// Starts threads, which end with the last reference to them.
    init(count: Int) {
        let pool = Pool(count: count)
        run = { work in pool.submit(work) }
    }

    /// Threads that end when nothing refers to them; work that waits then is not done.
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
