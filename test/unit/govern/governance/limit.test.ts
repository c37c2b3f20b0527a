import { describe, expect, test } from 'vitest'
import { isViolation } from '../../../../shared/govern/executions/measures.ts'
import { countsAnew } from '../../../../shared/govern/governance/checks/warnings.ts'
import { limit, windowSeconds } from '../../../../shared/govern/governance/rule-terms.ts'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'
import { checkPolicy } from '../../../../shared/govern/governance/checks/policy-check.ts'
import { decided, policyOf, resultOf } from './make.ts'

const hourly = { measure: 'count', max: 20, window: '1h' } as const
const spend = { measure: 'sum', max: 5_000, window: '24h', currency: 'EUR' } as const

const violations = (changes: object, effect: object = { effect: 'forbid' }) =>
  checkPolicy(PolicyBody.parse({ name: 'A limit', ...effect, limit: changes }), { existing: [] }).violations.map(
    ({ loc, msg }) => `${loc.join('.')}: ${msg}`,
  )

test.each(['1m', '60m', '31d', '744h'])('a window may be %s', (window) => {
  expect(limit.safeParse({ ...hourly, window }).success).toBe(true)
})

test.each(['30s', '0h', '1.5h', 'h', '01h', ''])('a window may not be "%s"', (window) => {
  expect(limit.safeParse({ ...hourly, window }).success).toBe(false)
})

test('a window has a length in seconds', () => {
  expect(['1m', '24h', '31d'].map(windowSeconds)).toEqual([60, 86_400, 2_678_400])
})

test.each([
  { per: ['agent', 'node', 'kind'] },
  { per: ['country'] },
  { max: 0 },
  { max: 900_000_000_001 },
  { give_back: ['cancelled'] },
  { burst: 3 },
])('a limit may not say %j', (changes) => {
  expect(limit.safeParse({ ...hourly, ...changes }).success).toBe(false)
})

test.each([
  ['body.limit.window: must not exceed 31 days', { ...hourly, window: '745h' }],
  ['body.limit.per: must not name a key twice', { ...hourly, per: ['agent', 'agent'] }],
  ['body.limit.give_back: must not name an outcome twice', { ...hourly, give_back: ['failed', 'failed'] }],
  ['body.limit.max: must be a whole number of at most 1000000000 with measure count', { ...hourly, max: 1.5 }],
  ['body.limit.currency: goes with measure sum', { ...hourly, currency: 'EUR' }],
  ['body.limit.rates: goes with measure sum', { ...hourly, rates: { USD: 0.92 } }],
  ['body.limit.currency: must be an ISO 4217 currency such as EUR', { ...spend, currency: 'ABC' }],
  ['body.limit.rates.ABC: must be an ISO 4217 currency such as EUR', { ...spend, rates: { ABC: 1 } }],
  ['body.limit.currency: is required with measure sum', { ...spend, currency: undefined }],
  ['body.limit.max: must have at most 4 decimals', { ...spend, max: 0.00001 }],
  ['body.limit.rates.EUR: must not name the currency of the limit', { ...spend, rates: { EUR: 1 } }],
  ['body.limit.give_back: goes with counts runs', { ...hourly, counts: 'requests', give_back: ['failed'] }],
])('%s', (violation, changes) => {
  expect(violations(changes)).toEqual([violation])
})

test('a policy that loosens has no limit', () => {
  const relaxing = { effect: 'relax_to', tier: 'AUTO', when: { field: 'node.id', op: 'eq', value: 'a' } }

  expect(violations(hourly, relaxing)).toEqual(['body.limit: relax_to may not depend on history'])
})

test('twenty enabled policies have a limit, and no more', () => {
  const existing = Array.from({ length: 20 }, (_, i) =>
    policyOf({ effect: 'forbid', limit: { ...hourly, max: i + 1 } }),
  )
  const conflictOf = (body: object, among = existing) =>
    checkPolicy(PolicyBody.parse({ name: 'One more', effect: 'forbid', ...body }), { existing: among }).conflict

  expect(conflictOf({ limit: { ...hourly, max: 50 } })).toMatch(/20 enabled policies with a limit/)
  expect(conflictOf({ limit: { ...hourly, max: 50 }, enabled: false })).toBeUndefined()
  expect(conflictOf({})).toBeUndefined()
  expect(conflictOf({ limit: { ...hourly, max: 50 } }, existing.slice(1))).toBeUndefined()
})

test('a policy has the same rule as another that has counted longer', () => {
  const existing = [{ ...policyOf({ effect: 'forbid', limit: hourly }), counts_since: 3 }]

  expect(
    checkPolicy(PolicyBody.parse({ name: 'Twin', effect: 'forbid', limit: hourly }), { existing }).conflict,
  ).toMatch(/same rule/)
})

test.each([
  [true, { window: '2h' }],
  [true, { per: ['agent'] }],
  [true, { measure: 'sum', currency: 'EUR' }],
  [false, { max: 21 }],
  [false, { counts: 'requests' }],
  [false, { give_back: ['failed'] }],
] as const)('whether it counts anew is %s when %j changes', (anew, changes) => {
  expect(countsAnew(limit.parse(hourly), limit.parse({ ...hourly, ...changes }))).toBe(anew)
})

describe('a policy with a limit', () => {
  const KNOWN = { field: 'node.id', op: 'eq', value: 'acme.tools.server' } as const
  const UNKNOWN = { field: 'signals.amount', op: 'gt', value: 5 } as const
  const FALSE = { field: 'node.id', op: 'eq', value: 'another' } as const

  test.each([
    [KNOWN, true, 'forbid'],
    [KNOWN, undefined, 'forbid'],
    [KNOWN, false, 'pass'],
    [UNKNOWN, true, 'forbid'],
    [UNKNOWN, undefined, 'forbid'],
    [UNKNOWN, false, 'pass'],
    [FALSE, true, 'pass'],
    [FALSE, undefined, 'pass'],
  ] as const)('under %j and beyond the limit: %s, results in %s', (when, beyond, result) => {
    const policy = policyOf({ effect: 'forbid', limit: hourly, when })
    const decision = decided({ policies: [policy], over: new Map([[policy.policy_id, beyond]]) })

    expect(resultOf(decision, policy.policy_id)).toBe(result)
    expect(decision.outcome).toBe(result === 'forbid' ? 'reject' : 'run')
  })

  test('that alone refuses is no violation; with another reason it is one', () => {
    const policy = policyOf({ effect: 'forbid', limit: hourly })
    const another = policyOf({ effect: 'forbid' })
    const [alone, both] = [[policy], [policy, another]].map((policies) => decided({ policies }).rejection)

    expect(alone && isViolation(alone)).toBe(false)
    expect(both && isViolation(both)).toBe(true)
  })

  test('fires where nobody counted', () => {
    const policy = policyOf({ effect: 'forbid', limit: hourly })

    expect(decided({ policies: [policy] }).outcome).toBe('reject')
  })

  test('names the limit among the reasons, and no figures', () => {
    const policy = policyOf({ effect: 'forbid', limit: { ...hourly, max: 4_711 }, when: KNOWN })
    const decision = decided({ policies: [policy], over: new Map([[policy.policy_id, true]]) })

    expect(decision.policy_evaluations.at(-1)?.why).toEqual([
      { field: 'limit', op: 'max', outcome: 'true' },
      { field: 'node.id', op: 'eq', outcome: 'true' },
    ])
    expect(JSON.stringify(decision)).not.toContain('4711')
  })

  test.each([true, false])('in the shadow only estimates: beyond %s', (beyond) => {
    const policy = policyOf({ effect: 'forbid', limit: hourly, mode: 'shadow' })
    const decision = decided({ policies: [policy], over: new Map([[policy.policy_id, beyond]]) })

    expect(decision.outcome).toBe('run')
    expect(decision.policy_evaluations.at(-1)).toMatchObject({
      result: beyond ? 'shadow:forbid' : 'shadow:pass',
      estimated: true,
    })
  })
})
