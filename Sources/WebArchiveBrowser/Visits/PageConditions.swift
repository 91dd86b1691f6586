// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The conditions that two visits of a page can have in common, so that it does the same in both: the time and random numbers.
///
/// They are for documents only: workers have the time and the random numbers of the browser.
package struct PageConditions: Sendable, Hashable {
    /// The time at which each document begins; nil for the present one. The clock moves on by a millisecond each time that a page looks at it, and
    /// by those of a frame with each frame of an animation, so that a page that waits for it ends.
    package var clock: ArchiveTime?
    /// The seed of random numbers, the same for each document; nil for those of the browser.
    package var seed: UInt32?

    /// Creates conditions; the time and the random numbers of the browser by default.
    package init(clock: ArchiveTime? = nil, seed: UInt32? = nil) { (self.clock, self.seed) = (clock, seed) }

    /// The script that sets the conditions, to be run in each new document before any other; nil without any.
    package var script: String? {
        let parts = [clock.map(Self.clockScript), seed.map(Self.randomScript)].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ";\n")
    }

    private static func clockScript(_ time: ArchiveTime) -> String {
        """
        (() => {
          const Real = Date
          const start = \(time.nanoseconds / 1_000_000)
          let now = start
          const next = () => now++
          const define = (object, name, value) =>
            Object.defineProperty(object, name, { value, configurable: true, writable: true })
          const Fixed = function Date(...values) {
            if (!new.target) return new Real(next()).toString()
            return Reflect.construct(Real, values.length ? values : [next()], new.target)
          }
          Object.setPrototypeOf(Fixed, Real)
          Object.defineProperty(Fixed, 'prototype', { value: Real.prototype })
          Object.defineProperty(Fixed, 'length', { value: 7 })
          define(Fixed, 'now', function now() { return next() })
          define(Real.prototype, 'constructor', Fixed)
          define(globalThis, 'Date', Fixed)
          define(Performance.prototype, 'now', function now() { return next() - start })
          Object.defineProperty(Performance.prototype, 'timeOrigin', { get() { return start }, configurable: true })
          const frame = globalThis.requestAnimationFrame
          // Its callbacks get a time that they compare with the others.
          define(globalThis, 'requestAnimationFrame', function requestAnimationFrame(callback) {
            if (typeof callback !== 'function') return frame(callback)
            return frame(() => { callback((now += 16) - start) })
          })
          if (!globalThis.Temporal?.Now) return
          const { timeZoneId } = Temporal.Now
          const moment = zone => Temporal.Instant.fromEpochMilliseconds(next()).toZonedDateTimeISO(zone ?? timeZoneId())
          define(Temporal.Now, 'instant', function instant() { return moment('UTC').toInstant() })
          define(Temporal.Now, 'zonedDateTimeISO', function zonedDateTimeISO(zone) { return moment(zone) })
          for (const name of ['plainDate', 'plainTime', 'plainDateTime'])
            define(Temporal.Now, name + 'ISO', { [name](zone) { return moment(zone)['toP' + name.slice(1)]() } }[name])
        })()
        """
    }

    /// Makes the numbers of "mulberry32" by Tommy Ettinger, which is in the public domain.
    private static func randomScript(_ seed: UInt32) -> String {
        """
        (() => {
          let state = \(seed)
          const next = () => {
            state = state + 0x6D2B79F5 | 0
            let mixed = Math.imul(state ^ state >>> 15, 1 | state)
            mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
            return (mixed ^ mixed >>> 14) >>> 0
          }
          const define = (object, name, value) =>
            Object.defineProperty(object, name, { value, configurable: true, writable: true })
          define(Math, 'random', function random() { return next() / 4294967296 })
          if (!globalThis.Crypto) return
          define(Crypto.prototype, 'getRandomValues', function getRandomValues(array) {
            const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
            for (let place = 0; place < bytes.length; place++) bytes[place] = next()
            return array
          })
          if (!Crypto.prototype.randomUUID) return
          define(Crypto.prototype, 'randomUUID', function randomUUID() {
            const bytes = Array.from({ length: 16 }, () => next() & 255)
            bytes[6] = bytes[6] & 15 | 64
            bytes[8] = bytes[8] & 63 | 128
            const digits = bytes.map(byte => byte.toString(16).padStart(2, '0')).join('')
            return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
          })
        })()
        """
    }
}
