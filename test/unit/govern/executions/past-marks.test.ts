import { expect, test } from 'vitest'
import { type PastAnswer, PastActions } from '../../../../shared/govern/executions/past-state.ts'
import type { Actor } from '../../../../shared/govern/executions/recent-actions.ts'
import { compileSet } from '../../../../shared/govern/governance/conditions/compile.ts'
import { NODE, policyOf } from '../governance/make.ts'

const MINUTE = 60_000
const T = Date.UTC(2026, 10, 20, 10)

const actor = (id = 'key_1', more: Partial<Actor> = {}): Actor => ({
  requested_by: { type: 'api_key', id },
  persons: ['usr_1'],
  trace_id: 'trace',
  ...more,
})
const reads = { action: { node: NODE, endpoint: { action_id: 'get_secret' } }, kind: 'secret_read' as const }

function marksWith(after: object) {
  const policy = policyOf({ effect: 'forbid', after: { within: '10m', per: 'agent', ...after } })
  const marks = new PastActions(compileSet([policy]))
  return { marks, follows: (at: number, who = actor()) => marks.followed(who, at).get(policy.policy_id) }
}

test('a mark holds from the beginning of its action, as long as a stored one', () => {
  const { marks, follows } = marksWith({ kinds: ['secret_read'] })
  marks.began(actor(), reads, T)

  expect([T - 1, T, T + 11 * MINUTE, T + 11 * MINUTE + 1].map((at) => follows(at))).toEqual([false, true, true, false])
})

test('a mark that lasts long enough is not renewed, a shorter one is', () => {
  const { marks, follows } = marksWith({ kinds: ['secret_read'] })
  marks.began(actor(), reads, T)
  marks.began(actor(), reads, T + MINUTE)
  expect(follows(T + 11 * MINUTE + 1)).toBe(false)
  marks.began(actor(), reads, T + 2 * MINUTE)

  expect(follows(T + 13 * MINUTE)).toBe(true)
})

test('a mark belongs to its actor, and to the key that the policy names', () => {
  const { marks, follows } = marksWith({ kinds: ['secret_read'], per: 'person' })
  marks.began(actor(), { ...reads, kind: 'read' }, T)
  expect(follows(T)).toBe(false)
  marks.began(actor(), reads, T)

  expect(follows(T, actor('key_2'))).toBe(true)
  expect(follows(T, actor('key_1', { persons: ['usr_2'] }))).toBe(false)
})

test.each<[string, PastAnswer, boolean | undefined]>([
  ['holds personal data', { output: { email: 'ada.lovelace@partner.example' } }, true],
  ['holds none', { output: { city: 'London' } }, false],
  ['never came', 'none', false],
  ['is not known any more', 'unknown', undefined],
])('an answer that %s', (_, answer, expected) => {
  const { marks, follows } = marksWith({ output: ['pii'] })
  marks.answered(actor(), answer, T)

  expect(follows(T + MINUTE)).toBe(expected)
})

test('an unknown mark hides no certain one', () => {
  const { marks, follows } = marksWith({ output: ['pii'] })
  marks.answered(actor(), 'unknown', T)
  marks.answered(actor(), { output: 'ada.lovelace@partner.example' }, T)

  expect(follows(T + MINUTE)).toBe(true)
})
