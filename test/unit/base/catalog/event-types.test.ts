import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  API_VERSION,
  CATALOG,
  EVENT_TYPE_ALIASES,
  EVENT_TYPES,
  isEventType,
} from '../../../../shared/base/catalog/event-types.ts'
import { ENVELOPE_BYTES_MAX, envelope, type Event } from '../../../../shared/ledger/events/event.ts'
import { EVENT_SCHEMAS } from '../../../../shared/ledger/events/schemas.ts'

/** Every value inside a JSON value, with the keys that lead to it. */
function* walk(value: unknown, path: string[] = []): Generator<{ value: unknown; path: string[] }> {
  yield { value, path }
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) yield* walk(member, [...path, key])
}

test('the catalogue holds the 33 published types and twelve extensions', () => {
  const published = EVENT_TYPES.filter((type) => !CATALOG[type].extension)

  expect(published).toHaveLength(33)
  expect(EVENT_TYPES).toHaveLength(45)
})

test('every type has a schema, and every schema a type', () => {
  expect(Object.keys(EVENT_SCHEMAS).toSorted()).toEqual(EVENT_TYPES.toSorted())
})

test('the version is a date', () => {
  expect(API_VERSION).toMatch(/^\d{4}-\d{2}-\d{2}$/)
})

test('inherited names are no event types', () => {
  expect(isEventType('toString')).toBe(false)
  expect(Object.values(EVENT_TYPE_ALIASES).every(isEventType)).toBe(true)
})

describe.each(EVENT_TYPES)('%s', (type) => {
  const { schema, example } = EVENT_SCHEMAS[type]

  test('accepts its example and no further member', () => {
    expect(schema.parse(example)).toEqual(example)
    expect(schema.safeParse({ ...example, stray: 1 }).success).toBe(false)
  })

  test('lets no member be left out', () => {
    for (const left of Object.keys(example)) {
      const rest = Object.fromEntries(Object.entries(example).filter(([name]) => name !== left))
      expect(schema.safeParse(rest).success, left).toBe(false)
    }
  })

  test('holds no fraction and only ASCII names, so that every language signs the same text', () => {
    for (const { value, path } of walk(example)) {
      if (typeof value === 'number') expect(Number.isSafeInteger(value), path.join('.')).toBe(true)
      for (const name of path) expect(name).toMatch(/^[\x21-\x7e]+$/)
    }
    const fractions = Object.entries(example).filter(([, value]) => typeof value === 'number')
    for (const [name] of fractions) expect(schema.safeParse({ ...example, [name]: 0.5 }).success, name).toBe(false)
  })

  test('stays below the size of an envelope', () => {
    const event = { type, subject: { id: 'x', version: 1 }, data: example } as Event // one type's schema made the example
    const text = JSON.stringify(envelope({ tenant_id: 'ten_1', mode: 'live' }, API_VERSION, 0, event))

    expect(Buffer.byteLength(text)).toBeLessThan(ENVELOPE_BYTES_MAX / 10)
  })
})

test('the list of types loads no schema', () => {
  const source = readFileSync(new URL('../../../../shared/base/catalog/event-types.ts', import.meta.url), 'utf8')

  expect(source).not.toMatch(/^import/m)
})
