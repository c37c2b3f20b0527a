// Whole corpora of statements, programs and prose. A reading action stays AUTO exactly where nothing in its payload acts.
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../../shared/base/lib/json.ts'
import { HARMLESS_PAYLOADS, HARMLESS_TEXTS } from '../fixtures/harmless-payloads.ts'
import { HOSTILE_PAYLOADS, HOSTILE_SQL } from '../fixtures/hostile-statements.ts'
import { classified } from '../make.ts'

const tierOf = (payload: unknown) => classified('get_record', { payload: payload as Json }).tier

describe('statements that are not proven to read', () => {
  test.each(HOSTILE_SQL)('%j is held as sql', (sql) => {
    expect(tierOf({ sql })).toBe('HARD')
  })

  test.each(HOSTILE_PAYLOADS)('%j is held', (payload) => {
    expect(tierOf(payload)).toBe('HARD')
  })
})

describe('what only reads or speaks', () => {
  test.each(HARMLESS_TEXTS)('%j is prose under any name', (text) => {
    for (const name of ['note', 'body', 'text', 'title']) expect(tierOf({ [name]: text })).toBe('AUTO')
  })

  test.each(HARMLESS_PAYLOADS)('%j stays AUTO', (payload) => {
    expect(tierOf(payload)).toBe('AUTO')
  })
})
