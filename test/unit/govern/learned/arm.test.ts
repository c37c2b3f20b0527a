import { describe, expect, test } from 'vitest'
import { drawnIn, type SlotTest, unitsOf } from '../../../../shared/govern/learned/learned.ts'

const trial = (unit: SlotTest['unit'], split_b = 0.5): SlotTest => ({
  id: 'abt_1',
  model_id: 'mdl_b',
  version: 2,
  sha256: '',
  uri: '',
  split_b,
  unit,
  shadow: false,
})
let drawn = 0
const ctx = { random: (length: number) => new Uint8Array(length).fill((drawn += 1)) }
const key = { requested_by: { type: 'api_key', id: 'key_1' }, persons: ['usr_1'] }

describe('the arm of a live test', () => {
  test('is drawn for each execution, and kept with it', () => {
    const units = unitsOf(key, ['key:key_1'])
    const arms = new Set(Array.from({ length: 50 }, () => drawnIn(ctx, trial('execution'), units).arm))
    expect(arms).toEqual(new Set(['a', 'b']))
    const before = { test_id: 'abt_1', arm: 'a' as const }
    expect(drawnIn(ctx, trial('execution', 0.99), { ...units, drawn: before })).toBe(before)
  })

  test('of another test says nothing', () => {
    const units = unitsOf(key, ['key:key_1'], { test_id: 'abt_0', arm: 'a' })
    expect(drawnIn(ctx, trial('user', 0.99), units)).toEqual({ test_id: 'abt_1', arm: 'b', unit: 'usr_1' })
  })

  test('is that of the credential, not of an agent that the request names', () => {
    const stated = unitsOf(key, ['key:key_1', 'key:key_1/agt_stated'])
    expect(drawnIn(ctx, trial('agent'), stated).unit).toBe('key:key_1')
    const alone = unitsOf({ requested_by: { type: 'user', id: 'usr_2' }, persons: [] }, [])
    expect(drawnIn(ctx, trial('agent'), alone).unit).toBe('user:usr_2')
  })
})
