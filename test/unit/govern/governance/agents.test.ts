import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCredentialId } from '../../../../shared/base/lib/ids.ts'
import type { Cond } from '../../../../shared/govern/governance/conditions/condition.ts'
import type { Decision } from '../../../../shared/govern/governance/decide/evaluate.ts'
import { TIERS } from '../../../../shared/base/catalog/kinds.ts'
import { checkPolicy } from '../../../../shared/govern/governance/checks/policy-check.ts'
import type { Policy } from '../../../../shared/govern/governance/policy.ts'
import { decided, policyOf, type Scene } from './make.ts'
import { runs } from '../../../support/runs.ts'

const KEY = 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'
const IDS = ['agt_a', 'agt_b', 'sales.bot', KEY] as const

const leaf = fc.constantFrom<Cond>(
  { field: 'agent.id', op: 'eq', value: 'agt_a' },
  { field: 'agent.id', op: 'ne', value: 'agt_a' },
  { field: 'agent.id', op: 'not_in', value: ['agt_a', 'agt_b'] },
  { field: 'agent.id', op: 'glob', value: 'sales.*' },
  { field: 'agent.trust', op: 'gt', value: 40 },
  { field: 'agent.executions', op: 'lt', value: 10 },
  { field: 'action.kind', op: 'in', value: ['update', 'read'] },
  { field: 'action.kind', op: 'eq', value: 'unknown' },
)
const { cond } = fc.letrec<{ cond: Cond }>((tie) => ({
  cond: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('cond'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('cond'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('cond').map((not) => ({ not })),
  ),
}))
const effect = fc.constantFrom(
  { effect: 'forbid' as const },
  { effect: 'require_approval' as const },
  { effect: 'min_tier' as const, tier: 'SOFT' as const },
  { effect: 'require_undo' as const },
  { effect: 'relax_to' as const, tier: 'AUTO' as const },
)
const agents = fc.subarray(['agt_a', 'agt_*', 'sales.*', '**'])
const policy = fc
  .record({
    what: effect,
    agents,
    when: fc.option(cond, { nil: undefined }),
    unless: fc.option(cond, { nil: undefined }),
  })
  .map(({ what, agents: named, when, unless }): Policy => {
    return { ...policyOf({ effect: 'forbid', scope: { agents: named } }), ...what, when, unless }
  })
const scene = fc.record({
  action_id: fc.constantFrom('get_order', 'update_order', 'restart_server', 'frobnicate'),
  policies: fc.array(policy, { maxLength: 5 }),
})
const truth = fc.record({ id: fc.constantFrom(...IDS), trust: fc.nat(100), executions: fc.nat(20) })
const stated = fc.option(fc.constantFrom(...IDS, 'agt_unheard'), { nil: undefined })

/** 0 runs at once … 2 is held, 3 is rejected. */
const strictness = ({ outcome, tier }: Decision) => (outcome === 'reject' ? 3 : TIERS.indexOf(tier))
const stating = (id: string | undefined): Pick<Scene, 'agent'> => ({
  agent: id === undefined ? undefined : { id, bound: false },
})

describe('an agent that is only stated', () => {
  test('never comes out looser, whatever is stated, than the agent that it is', () => {
    fc.assert(
      fc.property(scene, truth, stated, (asked, is, says) => {
        const bound = decided({ ...asked, agent: { ...is, bound: true } })

        expect(strictness(decided({ ...asked, ...stating(says) }))).toBeGreaterThanOrEqual(strictness(bound))
      }),
      runs(500),
    )
  })

  test('makes nothing looser for a person, either', () => {
    const principal = { type: 'user', id: 'usr_1', roles: ['developer'] } as const
    fc.assert(
      fc.property(scene, stated, (asked, says) => {
        const silent = decided({ ...asked, principal })

        expect(strictness(decided({ ...asked, principal, ...stating(says) }))).toBeGreaterThanOrEqual(
          strictness(silent),
        )
      }),
      runs(300),
    )
  })

  test('is told as what could not be known', () => {
    const one = policyOf({ effect: 'forbid', scope: { agents: ['agt_a'] } })
    const { policy_evaluations } = decided({ policies: [one], ...stating('agt_b') })

    expect(policy_evaluations.at(-1)).toEqual({
      policy_id: one.policy_id,
      result: 'forbid',
      basis: 'unknown',
      why: [{ field: 'agent.id', op: 'glob', outcome: 'unknown' }],
    })
  })
})

test.each<[string, Scene, string]>([
  ['the bound agent', { agent: { id: 'agt_a', bound: true } }, 'reject'],
  ['another bound agent', { agent: { id: 'agt_b', bound: true } }, 'run'],
  ['a key that states it', stating('agt_a'), 'reject'],
  ['a key that states another', stating('agt_b'), 'reject'],
  ['a key that states none', {}, 'reject'],
  ['a person', { principal: { type: 'user', id: 'usr_1' } }, 'run'],
  ['a person who states it', { principal: { type: 'user', id: 'usr_1' }, ...stating('agt_a') }, 'reject'],
  ['a person who states another', { principal: { type: 'user', id: 'usr_1' }, ...stating('agt_b') }, 'run'],
])('a forbid by agent judges rightly %s', (_, caller, outcome) => {
  const policies = [policyOf({ effect: 'forbid', scope: { agents: ['agt_a'] } })]

  expect(decided({ ...caller, policies }).outcome).toBe(outcome)
})

test('a forbid by the id of a key stops that key alone', () => {
  const policies = [policyOf({ effect: 'forbid', scope: { agents: [KEY] } })]
  const by = (id: string) => decided({ policies, principal: { type: 'api_key', id } }).outcome

  expect([by(KEY), by('key_01JD3Q8Z5N7V2W9X4Y6T1S0RPN')]).toEqual(['reject', 'run'])
})

test('a relaxation by agent counts for the bound one only', () => {
  const policies = [
    policyOf({
      effect: 'relax_to',
      tier: 'AUTO',
      scope: { agents: ['agt_a'] },
      when: { field: 'action.kind', op: 'eq', value: 'unknown' },
    }),
  ]
  const tier = (caller: Scene) => decided({ action_id: 'frobnicate', policies, ...caller }).tier

  expect(tier({ agent: { id: 'agt_a', bound: true } })).toBe('AUTO')
  expect([tier(stating('agt_a')), tier({}), tier({ agent: { id: 'agt_b', bound: true } })]).toEqual([
    'HARD',
    'HARD',
    'HARD',
  ])
})

test('the author of a policy that names agents is told whom else it stops', () => {
  const warnings = (change: object, named: string[]) =>
    checkPolicy({ ...policyOf({ effect: 'forbid', scope: { agents: named } }), ...change }, { existing: [] }).warnings

  expect(warnings({}, ['agt_a'])).toEqual([expect.stringContaining('every key and client that no agent is bound to')])
  expect(warnings({}, [KEY])).toEqual([])
  expect(warnings({ effect: 'relax_to', tier: 'AUTO' }, ['agt_a'])).toEqual([])
})

test.each([
  [KEY, true],
  ['cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM', true],
  ['agt_01JD3Q8Z5N7V2W9X4Y6T1S0RPM', false],
  ['key_support', false],
])('%s is the id of a credential: %s', (id, is) => {
  expect(isCredentialId(id)).toBe(is)
})
