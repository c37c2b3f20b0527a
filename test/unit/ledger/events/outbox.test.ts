import { deflateRawSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { API_VERSION, EVENT_TYPES } from '../../../../shared/base/catalog/event-types.ts'
import type { Event } from '../../../../shared/ledger/events/event.ts'
import { packEvents, unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import { autoExecution } from './auto-execution.ts'
import { runs } from '../../../support/runs.ts'

const anyEvent = fc.record({
  type: fc.constantFrom(...EVENT_TYPES),
  subject: fc.record({ id: fc.string({ minLength: 1 }), version: fc.nat() }),
  data: fc.dictionary(
    fc.string(),
    fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
  ),
}) as fc.Arbitrary<Event> // packing looks at no member of `data`

test('packing loses nothing', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 12 }), (events) => {
      const wellFormed = JSON.parse(JSON.stringify(events), (_, value) =>
        typeof value === 'string' ? value.toWellFormed() : value,
      )
      expect(unpackEvents(packEvents(events))).toEqual({ version: API_VERSION, events: wellFormed, measures: [] })
    }),
    runs(300),
  )
})

test('the six events of an executed AUTO action take less than 900 bytes', () => {
  const events = autoExecution()

  expect(events).toHaveLength(6)
  expect(packEvents(events).length).toBeLessThan(900)
})

test('measures travel with the events', () => {
  const packed = packEvents(autoExecution(), [['d', 0, 0, 84, 1, 213], ['a']])

  expect(unpackEvents(packed)).toMatchObject({ measures: [['d', 0, 0, 84, 1, 213], ['a']] })
  expect(unpackEvents(packed).events).toHaveLength(6)
})

test('an event above 20,000 bytes is refused, not cut', () => {
  const [event] = autoExecution()
  const large = { ...event, subject: { id: 'x'.repeat(20_000), version: 1 } } as Event // only its size is of interest

  expect(() => packEvents([large])).toThrow('too large')
})

test.each([
  ['text', 'no base64 of anything'],
  ['deflated nonsense', deflateRawSync('{').toString('base64')],
  ['nothing', ''],
])('%s that was not packed here cannot be unpacked', (_, packed) => {
  expect(() => unpackEvents(packed)).toThrow(Error)
})
