import { describe, expect, test } from 'vitest'
import type { Cond } from '../../../../shared/govern/governance/conditions/condition.ts'
import { decided, policyOf, resultOf } from './make.ts'

const KNOWN = { field: 'node.id', op: 'eq', value: 'acme.tools.server' } as const

test('entries stand in a fixed order: built-in rules, then policies by priority, then by id', () => {
  const [a, b, c] = [
    policyOf({ effect: 'forbid', priority: 1 }),
    policyOf({ effect: 'forbid' }),
    policyOf({ effect: 'forbid' }),
  ]
  const decision = decided({
    action_id: 'delete_contact',
    payload: { note: 'ann@example.com' },
    policies: [c, a, b],
    routing: { update_id: 'rtu_1', base_tier: 'HARD', holds: true },
    persona: {
      persona_key: 'p',
      allowed_nodes: [],
      denied_nodes: [],
      tier_ceiling: 'HARD',
      default_require_approval: false,
    },
    trust: 1,
    model: { slot: 'approval', version: 2, probability: 0.9 },
    openApprovals: 50,
  })

  expect(decision.policy_evaluations.map(({ policy_id }) => policy_id)).toEqual(
    ['class', 'manifest', 'request', 'rtu_1', 'persona:p', 'pii', 'trust', 'model:approval@2', 'approval_flood'].concat(
      [b, c, a].map(({ policy_id }) => policy_id),
    ),
  )
})

test('an entry that is not a pass says on what basis, why in at most five leaves, and its message', () => {
  const leaf: Cond = { field: 'signals.amount', op: 'gt', value: 4711 }
  const policy = policyOf({
    effect: 'require_approval',
    message: 'ask first',
    when: { all: Array.from({ length: 8 }, () => leaf) },
  })

  expect(decided({ policies: [policy] }).policy_evaluations.at(-1)).toEqual({
    policy_id: policy.policy_id,
    result: 'require_approval',
    basis: 'unknown',
    message: 'ask first',
    why: Array.from({ length: 5 }, () => ({ field: 'signals.amount', op: 'gt', outcome: 'unknown' })),
  })
})

test('neither thresholds nor values are told', () => {
  const policy = policyOf({ effect: 'forbid', when: { field: 'payload./iban', op: 'in', value: ['SECRET-THRESHOLD'] } })
  const decision = decided({ policies: [policy], payload: { iban: 'SECRET-VALUE' }, settings: { amount_cap: 4711 } })

  expect(JSON.stringify(decision)).not.toMatch(/SECRET|4711/)
})

test.each([
  ['forbid', {}, 'forbid'],
  ['require_approval', {}, 'require_approval'],
  ['min_tier', { tier: 'SOFT' }, 'min_tier:SOFT'],
  ['min_tier', { tier: 'HARD' }, 'min_tier:HARD'],
  ['require_undo', {}, 'require_undo'],
  ['relax_to', { tier: 'AUTO' }, 'relax:AUTO'],
  ['relax_to', { tier: 'SOFT' }, 'relax:SOFT'],
] as const)('effect %s %j is told as %s, and as shadow when it is one', (effect, tier, result) => {
  const policies = [
    policyOf({ effect, when: KNOWN, ...tier }),
    policyOf({ effect, when: KNOWN, mode: 'shadow', ...tier }),
  ]
  const decision = decided({ policies })

  expect(policies.map(({ policy_id }) => resultOf(decision, policy_id))).toEqual([result, `shadow:${result}`])
})

const shadow = (when: Cond) => policyOf({ effect: 'relax_to', tier: 'AUTO', mode: 'shadow', when })

test('a shadow policy that would pass, or cannot tell, says so', () => {
  const policies = [shadow({ ...KNOWN, value: 'x' }), shadow({ field: 'agent.trust', op: 'gt', value: 1 })]
  const decision = decided({ policies })

  expect(policies.map(({ policy_id }) => resultOf(decision, policy_id))).toEqual([
    'shadow:pass',
    'shadow:indeterminate',
  ])
})

const ids = (policies: ReturnType<typeof policyOf>[], action_id: string) =>
  decided({ policies, action_id }).fired.map(({ policy_id, outcome, detail }) => [policy_id, outcome, detail])

describe('what fired', () => {
  test('is what raised the tier', () => {
    const policy = policyOf({ effect: 'min_tier', tier: 'SOFT' })

    expect(ids([policy], 'get_contact')).toEqual([[policy.policy_id, 'raised', 'tier raised to SOFT']])
    expect(ids([policy], 'update_contact')).toEqual([])
  })

  test('includes an approval asked of what is held anyway, as flagged', () => {
    const policy = policyOf({ effect: 'require_approval', message: 'two eyes' })

    expect(ids([policy], 'get_contact')).toEqual([[policy.policy_id, 'raised', 'two eyes']])
    expect(ids([policy], 'delete_contact')).toEqual([[policy.policy_id, 'flagged', 'two eyes']])
  })

  test('includes a missing undo action', () => {
    const policy = policyOf({ effect: 'require_undo' })

    expect(ids([policy], 'update_contact')).toEqual([[policy.policy_id, 'raised', 'tier raised to HARD']])
    expect(ids([policy], 'delete_contact')).toEqual([])
  })

  test('holds no relaxation and no shadow', () => {
    const relax = policyOf({ effect: 'relax_to', tier: 'AUTO', when: KNOWN })

    expect(ids([relax, policyOf({ effect: 'forbid', mode: 'shadow' })], 'restart_server')).toEqual([])
  })
})

test('the stages of a held action are those of its policies', () => {
  const approval = { stages: [{ groups: ['role:admin'], min_approvals: 2 }], expires_in_s: 900 }

  expect(decided({ policies: [policyOf({ effect: 'require_approval', approval })] })).toMatchObject({
    outcome: 'hold',
    stages: [{ groups: ['role:admin'], min_approvals: 2, mode: 'any' }],
    expires_in_s: 900,
  })
})
