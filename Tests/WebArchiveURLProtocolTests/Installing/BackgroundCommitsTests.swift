// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchiveURLProtocol

@Suite struct BackgroundCommitsTests {
    @Test func recordedResponsesAreOnDiskWhenTheAppIsInTheBackground() async throws {
        let server = try HTTPTestServer()
        server["/"] = .text("x")
        let recorded = try RecordedSession { $0.commitInterval = .seconds(3600) }
        let session = recorded.session(.networkFirst)
        #expect(await session.load(server.url()).text == "x")
        #expect(recorded.archive.reader == nil)
        NotificationCenter.default.post(
            name: Notification.Name("UIApplicationDidEnterBackgroundNotification"), object: nil)
        #expect(recorded.archive.reader?.entryCount == 1)
    }
}
