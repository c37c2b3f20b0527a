import { describe, expect, test } from 'vitest'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'
import {
  checkPolicy,
  POLICIES_MAX,
  type Surroundings,
} from '../../../../shared/govern/governance/checks/policy-check.ts'
import { policyOf } from './make.ts'

const SETTINGS = { approval_ttl_s: 3_600, pii_mode: 'detect', require_human_approver: null } as const
const check = (body: object, surroundings: Partial<Surroundings> = {}) =>
  checkPolicy(PolicyBody.parse({ name: 'A policy', effect: 'forbid', ...body }), { existing: [], ...surroundings })

const violations = (body: object, surroundings: Partial<Surroundings> = {}) =>
  check(body, surroundings).violations.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)

const isUpdate = { field: 'action.kind', op: 'eq', value: 'update' }
const isDelete = { field: 'action.kind', op: 'eq', value: 'delete' }
const amount = (op: string, value: unknown) => ({ field: 'signals.amount', op, value, currency: 'EUR' })

test.each([
  ['body.tier: must be SOFT or HARD with effect min_tier', { effect: 'min_tier' }],
  ['body.tier: must be SOFT or HARD with effect min_tier', { effect: 'min_tier', tier: 'AUTO' }],
  ['body.tier: must be AUTO or SOFT with effect relax_to', { effect: 'relax_to', tier: 'HARD', when: isDelete }],
  ['body.tier: goes with the effects min_tier and relax_to', { effect: 'forbid', tier: 'HARD' }],
  ['body.approval: goes with the effect require_approval', { approval: { stages: [{ groups: ['any'] }] } }],
  [
    'body.approval.escalate_to: must name the groups to escalate to',
    { effect: 'require_approval', approval: { stages: [{ groups: ['any'] }], escalate_after_s: 60 } },
  ],
  ['body.when: is required with effect relax_to', { effect: 'relax_to', tier: 'AUTO' }],
  [
    'body.when.all.0.field: relax_to may not read context, which the caller declares',
    { effect: 'relax_to', tier: 'AUTO', when: { all: [{ field: 'context.safe', op: 'eq', value: true }] } },
  ],
  [
    'body.unless.op: relax_to may not use exists',
    { effect: 'relax_to', tier: 'AUTO', when: isUpdate, unless: { field: 'payload./a', op: 'exists' } },
  ],
])('%s', (violation, body) => {
  expect(violations(body)).toEqual([violation])
})

describe('a condition that can never be true', () => {
  test.each([
    ['two values on one field', { all: [isDelete, { ...isDelete, value: 'payment' }] }, 'body.when.all.1'],
    ['an empty range', amount('between', [5, 1]), 'body.when.value'],
    [
      'an empty range of tiers',
      { field: 'action.base_tier', op: 'between', value: ['HARD', 'SOFT'] },
      'body.when.value',
    ],
    ['ranges apart', { all: [amount('gt', 5), amount('lt', 3)] }, 'body.when.all.1'],
    ['open ends that meet', { all: [amount('gt', 5), amount('lte', 5)] }, 'body.when.all.1'],
    ['a value outside its range', { all: [amount('eq', 5), amount('gt', 5)] }, 'body.when.all.1'],
    [
      'deep inside',
      { any: [isDelete, { not: { all: [amount('gt', 5), amount('lt', 3)] } }] },
      'body.when.any.1.not.all.1',
    ],
  ])('%s is refused', (_, when, place) => {
    expect(violations({ when }).map((text) => text.split(':')[0])).toEqual([place])
  })

  test.each([
    { any: [isDelete, { ...isDelete, value: 'payment' }] },
    { all: [isDelete, isDelete] },
    { all: [amount('gte', 5), amount('lte', 5)] },
    { all: [amount('gt', 3), amount('lt', 5), amount('ne', 4)] },
    { all: [amount('gt', 3), { field: 'action.risk', op: 'lt', value: 1 }] },
    amount('between', [1, 1]),
  ])('%j may be true', (when) => {
    expect(violations({ when })).toEqual([])
  })
})

const anyOf = (length: number) => ({
  any: Array.from({ length }, () => ({ field: 'node.id', op: 'eq', value: 'x' })),
})

describe('limits', () => {
  test('a policy is at most 4 KiB long', () => {
    const when = { field: 'node.id', op: 'in', value: Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(256, 'x')) }

    expect(violations({ when })).toEqual(['body: must not exceed 4096 bytes'])
  })

  test('conditions have at most 64 nodes together', () => {
    expect(violations({ when: anyOf(31), unless: anyOf(31) })).toEqual([])
    expect(violations({ when: anyOf(32), unless: anyOf(31) })).toHaveLength(1)
  })
})

test('an approver group must exist', () => {
  const approval = { stages: [{ groups: ['any', 'role:boss'] }], escalate_after_s: 60, escalate_to: ['role:owner'] }
  const body = { effect: 'require_approval', approval }

  const groupProblem = (group: string) => (group === 'role:boss' ? 'is no group' : undefined)
  expect(violations(body, { groupProblem })).toEqual(['body.approval.stages.0.groups.1: is no group'])
  expect(violations(body)).toEqual([])
})

describe('beside other policies', () => {
  const other = policyOf({ name: 'Other', effect: 'forbid', scope: { action_kinds: ['delete'] } })
  const twin = { effect: 'forbid', scope: { action_kinds: ['delete'] } }

  test('a name is taken once', () => {
    expect(check({ name: 'Other' }, { existing: [other] }).conflict).toContain(other.policy_id)
  })

  test('saying the same as an active policy is a conflict', () => {
    expect(check(twin, { existing: [other] }).conflict).toContain(other.policy_id)
    expect(check({ ...twin, priority: 5 }, { existing: [other] }).conflict).toBeUndefined()
    expect(check(twin, { existing: [{ ...other, enabled: false }] }).conflict).toBeUndefined()
  })

  test('a new version does not conflict with its own', () => {
    expect(check({ ...twin, policy_id: other.policy_id, version: 1 }, { existing: [other] }).conflict).toBeUndefined()
  })

  test('there is an upper number', () => {
    const existing = Array.from({ length: POLICIES_MAX }, (_, priority) => policyOf({ effect: 'forbid', priority }))

    expect(check({}, { existing }).conflict).toContain(String(POLICIES_MAX))
  })
})

const eligible = (groups: readonly string[]) => (groups.length === 2 ? 3 : 1)

describe('warnings', () => {
  test.each([
    { when: amount('gt', 5) },
    { unless: { field: 'agent.trust', op: 'gt', value: 50 } },
    { when: { field: 'payload./a', op: 'eq', value: 1 } },
    { when: { any: [isDelete, amount('gt', 5)] } },
  ])('%j fires wherever the fact is missing', (body) => {
    expect(check(body).warnings).toEqual([expect.stringContaining('which many actions do not have')])
  })

  test.each([
    { when: amount('gt', 5), scope: { action_kinds: ['payment'] } },
    { when: { all: [isDelete, amount('gt', 5)] } },
    { when: amount('gt', 5), effect: 'relax_to', tier: 'SOFT' },
    { when: { field: 'signals.recipients', op: 'gt', value: 5 } },
    { when: { field: 'payload./a', op: 'exists' } },
    {},
  ])('%j does not fire where the fact is missing', (body) => {
    expect(check(body).warnings).toEqual([])
  })

  test('more approvals than people are told of', () => {
    const stages = [{ groups: ['role:owner', 'role:admin'], min_approvals: 3 }]
    const warnings = (mode: string) =>
      check(
        { effect: 'require_approval', approval: { stages: stages.map((stage) => ({ ...stage, mode })) } },
        { eligible },
      ).warnings

    expect(warnings('any')).toEqual([])
    expect(warnings('each')).toEqual(['Stage 1 asks for 3 approvals, but only 1 can give one.'])
  })

  test.each<[boolean, object]>([
    [true, { when: { field: 'signals.pii', op: 'any_in', value: ['IBAN'] } }],
    [true, { unless: { not: { field: 'signals.pii', op: 'contains', value: 'IBAN' } } }],
    [true, { after: { output: ['secrets'], within: '10m', per: 'agent' } }],
    [false, { after: { kinds: ['read'], within: '10m', per: 'agent' } }],
    [false, { when: { field: 'signals.secrets', op: 'eq', value: true } }],
  ])('%s: personal data that nothing looks for, in %j', (warns, body) => {
    const warningsIn = (pii_mode: 'off' | 'detect') =>
      check(body, { settings: { ...SETTINGS, pii_mode } }).warnings.filter((text) => text.includes('pii_mode'))

    expect(warningsIn('off')).toHaveLength(warns ? 1 : 0)
    expect(warningsIn('detect')).toEqual([])
  })

  test.each([
    ['only after the expiry of the tenant', { escalate_after_s: 3_600 }, 1],
    ['before it', { escalate_after_s: 3_599 }, 0],
    ['before the expiry of the policy itself', { escalate_after_s: 3_600, expires_in_s: 7_200 }, 0],
    ['never', {}, 0],
  ])('an escalation that comes %s', (_, times, count) => {
    const escalate_to = ['role:owner']
    const approval = { stages: [{ groups: ['any'] }], escalate_to, ...times }

    expect(check({ effect: 'require_approval', approval }, { settings: SETTINGS }).warnings).toEqual(
      Array.from({ length: count }, () =>
        expect.stringMatching(/escalates after 3600 seconds.*expire after 3600.*Add a larger "expires_in_s"/),
      ),
    )
  })

  test.each([
    ['only keys where people decide on some kinds', null, ['key:key_1', 'key:key_2'], 1],
    ['only keys where people decide on everything', true, ['key:key_1'], 1],
    ['only keys where keys decide', false, ['key:key_1'], 0],
    ['people, too', null, ['key:key_1', 'role:owner'], 0],
  ])('a stage of %s', (_, require_human_approver, groups, count) => {
    const approval = { stages: [{ groups }] }
    const settings = { ...SETTINGS, require_human_approver }

    expect(
      check({ effect: 'require_approval', approval }, { settings }).warnings.filter((text) => text.includes('keys')),
    ).toHaveLength(count)
  })
})
