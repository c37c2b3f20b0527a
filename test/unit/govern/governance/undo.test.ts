import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decided, policyOf, type Scene } from './make.ts'

const exact = { undo: { exact: true } }
const persona = { persona_key: 'p', allowed_nodes: [], denied_nodes: [], tier_ceiling: 'HARD' as const }

test('an exact inverse of a HARD kind runs, and says so', () => {
  const decision = decided({ action_id: 'delete_user', ...exact })

  expect(decision).toMatchObject({ outcome: 'run', tier: 'HARD' })
  expect(decision.routing_decision).toMatchObject({ strategy: 'undo', tier: 'HARD', kind: 'delete' })
  expect(decision.routing_decision.reasons.at(-1)).toEqual({ signal: 'exact_inverse' })
})

test.each<[string, Scene, string]>([
  ['a hint that repeats what the kind says', { endpoint: { annotations: { destructiveHint: true } } }, 'run'],
  ['a shadow policy', { policies: [policyOf({ effect: 'forbid', mode: 'shadow' })] }, 'run'],
  ['approval_required', { endpoint: { approval_required: true } }, 'hold'],
  ['min_tier HARD', { endpoint: { min_tier: 'HARD' } }, 'hold'],
  ['a policy that asks for approval', { policies: [policyOf({ effect: 'require_approval' })] }, 'hold'],
  ['a policy of min_tier HARD', { policies: [policyOf({ effect: 'min_tier', tier: 'HARD' })] }, 'hold'],
  ['a persona that asks for approval', { persona: { ...persona, default_require_approval: true } }, 'hold'],
  ['an id that means everything', { payload: { id: '*' } }, 'hold'],
  ['a statement', { payload: { sql: 'DROP TABLE users' } }, 'hold'],
  ['a forbid', { policies: [policyOf({ effect: 'forbid' })] }, 'reject'],
  ['personal data', { payload: { id: 'anna@example.com' }, settings: { pii_mode: 'block' } }, 'reject'],
  [
    'a persona that may not',
    { persona: { ...persona, tier_ceiling: 'SOFT', default_require_approval: false } },
    'reject',
  ],
])('an exact inverse is judged rightly with %s', (_, scene, outcome) => {
  expect(decided({ action_id: 'delete_user', ...exact, ...scene }).outcome).toBe(outcome)
})

test('any other undo is decided as the action by itself', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('get_user', 'update_user', 'delete_user', 'restart_server', 'frobnicate'),
      fc.constantFrom({}, { id: '*' }, { to: 'x@evil.example' }),
      fc.subarray(['forbid', 'require_approval', 'require_undo'] as const),
      (action_id, payload, effects) => {
        const scene = { action_id, payload, policies: effects.map((effect) => policyOf({ effect })) }
        const alone = decided(scene)
        const undo = decided({ ...scene, undo: { exact: false } })

        expect(undo).toEqual({ ...alone, routing_decision: { ...alone.routing_decision, strategy: 'undo' } })
      },
    ),
  )
})
