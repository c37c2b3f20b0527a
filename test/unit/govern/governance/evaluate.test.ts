import { describe, expect, test } from 'vitest'
import type { Cond } from '../../../../shared/govern/governance/conditions/condition.ts'
import { TIERS } from '../../../../shared/base/catalog/kinds.ts'
import { decided, policyOf, resultOf, type Scene } from './make.ts'

const KNOWN = { field: 'node.id', op: 'eq', value: 'acme.tools.server' } as const
const MISSING = { field: 'signals.amount', op: 'gt', value: 1 } as const
const FALSE = { field: 'node.id', op: 'eq', value: 'x' } as const

test('without policies an action runs, or is held, by its own tier', () => {
  expect(decided({ action_id: 'get_contact' })).toMatchObject({ outcome: 'run', tier: 'AUTO' })
  expect(decided({ action_id: 'update_contact' })).toMatchObject({ outcome: 'run', tier: 'SOFT' })
  expect(decided({ action_id: 'delete_contact' })).toMatchObject({ outcome: 'hold', tier: 'HARD' })
})

test('a decision is explained by its classification and the three rules that always apply', () => {
  expect(decided({ endpoint: { description: 'Updates a contact.' } })).toEqual({
    held_anyway: false,
    outcome: 'run',
    tier: 'SOFT',
    routing_decision: {
      strategy: 'manifest',
      tier: 'SOFT',
      kind: 'update',
      confidence: 1,
      risk: 35,
      reasons: [{ signal: 'verb', value: 'update', floor: 'SOFT' }],
    },
    policy_evaluations: ['class', 'manifest', 'request'].map((policy_id) => ({ policy_id, result: 'pass' })),
    fired: [],
    hits: [],
    stages: [{ groups: ['any'], min_approvals: 1, mode: 'any' }],
    expires_in_s: 86_400,
    allow_self: false,
  })
})

describe('step 3: the base', () => {
  test('of a routing rule replaces that of the class, and is named', () => {
    const routing = { update_id: 'rtu_1', base_tier: 'AUTO', holds: true } as const
    const decision = decided({ routing })

    expect(decision).toMatchObject({ tier: 'AUTO', routing_decision: { strategy: 'learned' } })
    expect(resultOf(decision, 'rtu_1')).toBe('base:AUTO')
    expect(decided({ routing: { ...routing, base_tier: 'HARD' } }).tier).toBe('HARD')
  })

  test.each(['delete_contact', 'send_email', 'pay_bill', 'deploy_app', 'post_message'])(
    'of %s stays at the class floor',
    (action_id) => {
      expect(decided({ action_id, routing: { update_id: 'rtu_1', base_tier: 'AUTO', holds: true } }).tier).toBe('HARD')
    },
  )
})

const relax = (tier: 'AUTO' | 'SOFT', when: Cond = KNOWN) => policyOf({ effect: 'relax_to', tier, when })

describe('step 4: relaxing', () => {
  test('lowers the base of what has no class floor', () => {
    expect(decided({ action_id: 'restart_server', policies: [relax('SOFT')] }).tier).toBe('SOFT')
    expect(decided({ action_id: 'restart_server', policies: [relax('SOFT'), relax('AUTO')] }).tier).toBe('AUTO')
  })

  test.each(['delete_contact', 'send_email', 'pay_bill', 'deploy_app', 'post_message'])(
    'never passes the class floor of %s',
    (action_id) => {
      expect(decided({ action_id, policies: [relax('AUTO')] }).tier).toBe('HARD')
    },
  )

  test('never raises', () => {
    expect(decided({ action_id: 'get_contact', policies: [relax('SOFT')] }).tier).toBe('AUTO')
  })

  test.each([
    ['unknown', MISSING, 'indeterminate'],
    ['false', FALSE, 'pass'],
  ])('does not act when its condition is %s', (_, when, result) => {
    const policy = relax('AUTO', when)
    const decision = decided({ action_id: 'restart_server', policies: [policy] })

    expect(decision.tier).toBe('HARD')
    expect(resultOf(decision, policy.policy_id)).toBe(result)
  })

  test('does not touch what manifest, payload or caller ask for', () => {
    const scenes: Scene[] = [
      { endpoint: { approval_required: true } },
      { endpoint: { min_tier: 'HARD' } },
      { payload: { sql: 'drop table users' } },
      { payload: { to: 'bob@partner.example' } },
      { request: { tier: 'HARD' } },
      { request: { require_approval: true } },
    ]
    for (const scene of scenes) {
      expect(decided({ action_id: 'update_contact', ...scene, policies: [relax('AUTO')] }).tier).toBe('HARD')
    }
  })
})

const forbidUnless = (unless: Cond) => decided({ policies: [policyOf({ effect: 'forbid', unless })] }).outcome

describe('step 5: floors', () => {
  test.each(TIERS)('the caller’s tier %s only raises', (tier) => {
    expect(decided({ action_id: 'get_contact', request: { tier } }).tier).toBe(tier)
    expect(decided({ action_id: 'delete_contact', request: { tier } }).tier).toBe('HARD')
  })

  test.each<[string, Scene, string, string]>([
    ['manifest', { endpoint: { approval_required: true } }, 'HARD', 'require_approval'],
    ['manifest', { endpoint: { min_tier: 'HARD' } }, 'HARD', 'min_tier:HARD'],
    ['manifest', { endpoint: { annotations: { readOnlyHint: false } } }, 'SOFT', 'min_tier:SOFT'],
    ['request', { request: { require_approval: true } }, 'HARD', 'require_approval'],
    ['request', { request: { tier: 'SOFT' } }, 'SOFT', 'min_tier:SOFT'],
    ['request', { request: { tier: 'AUTO', require_approval: false } }, 'AUTO', 'pass'],
    ['class', { payload: { sql: 'drop table users' } }, 'HARD', 'min_tier:HARD'],
  ])('%s says of %j: %s', (policy_id, scene, tier, result) => {
    const decision = decided({ action_id: 'get_contact', ...scene })

    expect(decision.tier).toBe(tier)
    expect(resultOf(decision, policy_id)).toBe(result)
  })

  test.each([
    ['true', KNOWN, true],
    ['unknown', MISSING, true],
    ['false', FALSE, false],
  ])('restrictive policies with a condition that is %s fire: %s', (basis, when, fires) => {
    const soft = policyOf({ effect: 'min_tier', tier: 'SOFT', when })
    const approve = policyOf({ effect: 'require_approval', when })

    const raised = decided({ action_id: 'get_contact', policies: [soft] })
    expect(raised.tier).toBe(fires ? 'SOFT' : 'AUTO')
    expect(raised.policy_evaluations.at(-1)).toEqual(
      fires
        ? {
            policy_id: soft.policy_id,
            result: 'min_tier:SOFT',
            basis,
            why: [{ field: when.field, op: when.op, outcome: basis }],
          }
        : { policy_id: soft.policy_id, result: 'pass' },
    )
    expect(decided({ action_id: 'get_contact', policies: [approve] }).outcome).toBe(fires ? 'hold' : 'run')
  })

  test('unless withdraws, and an unknown unless does not', () => {
    expect([forbidUnless(KNOWN), forbidUnless(FALSE), forbidUnless(MISSING)]).toEqual(['run', 'reject', 'reject'])
  })

  test('policies out of scope are not evaluated', () => {
    const decision = decided({ policies: [policyOf({ effect: 'forbid', scope: { action_kinds: ['delete'] } })] })

    expect(decision).toMatchObject({ outcome: 'run', policy_evaluations: { length: 3 } })
  })
})
