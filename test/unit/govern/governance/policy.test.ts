import { describe, expect, test } from 'vitest'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'

const MINIMAL = { name: 'No refunds', effect: 'forbid' }

/** `path: message` of every finding. */
const findings = (body: object) =>
  PolicyBody.safeParse({ ...MINIMAL, ...body }).error?.issues.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  ) ?? []

test('what is not said has a default', () => {
  expect(PolicyBody.parse(MINIMAL)).toEqual({
    name: 'No refunds',
    enabled: true,
    mode: 'enforce',
    priority: 100,
    severity: 'medium',
    scope: { node_ids: [], categories: [], action_ids: [], action_kinds: [], agents: [], listing_tiers: [] },
    effect: 'forbid',
  })
})

test('null counts as absent', () => {
  const nothing = { enabled: null, scope: null, when: null, approval: null, message: null, policy_id: null }

  expect(PolicyBody.parse({ ...MINIMAL, ...nothing })).toEqual(PolicyBody.parse(MINIMAL))
})

test('a stored policy reads back as it is', () => {
  const policy = PolicyBody.parse({
    ...MINIMAL,
    scope: { node_ids: ['a.**'] },
    when: { field: 'signals.amount', op: 'gt', value: 1 },
  })

  expect(PolicyBody.parse(JSON.parse(JSON.stringify(policy)))).toEqual(policy)
})

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(121) }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ effect: 'allow' }, 'effect'],
  [{ mode: 'audit' }, 'mode'],
  [{ severity: 'extreme' }, 'severity'],
  [{ priority: 1.5 }, 'priority'],
  [{ message: 'x'.repeat(501) }, 'message'],
  [{ policy_id: 'pol_1' }, 'policy_id'],
  [{ scope: { nodes: [] } }, 'scope'],
  [{ scope: { node_ids: ['x'.repeat(257)] } }, 'scope.node_ids.0'],
  [{ approval: { stages: [] } }, 'approval.stages'],
  [{ approval: { stages: [{ groups: ['bosses'] }] } }, 'approval.stages.0.groups.0'],
  [{ approval: { stages: [{ groups: ['any'], min_approvals: 11 }] } }, 'approval.stages.0.min_approvals'],
  [{ approval: { stages: [{ groups: ['any'] }], expires_in_s: 59 } }, 'approval.expires_in_s'],
  [{ colour: 'red' }, ''],
])('%j is refused at %j', (body, place) => {
  expect(findings(body).map((finding) => finding.split(':')[0])).toEqual([place])
})

describe('a condition', () => {
  const leaf = { field: 'signals.amount', op: 'gt', value: 1 }
  const nested = (depth: number): object => (depth === 1 ? leaf : { not: nested(depth - 1) })

  test.each([
    ['when: must be a condition', 'x'],
    ['when.all: must be a list of 1 to 200 conditions', { all: [] }],
    ['when.any.1: must be a condition', { any: [leaf, 5] }],
    ['when.any: is not part of a condition with all', { all: [leaf], any: [leaf] }],
    ['when.extra: is not part of a condition with field, op, value, ignore_case, currency', { ...leaf, extra: 1 }],
    ['when.field: unknown field; did you mean signals.amount?', { ...leaf, field: 'signal.amount' }],
    ['when.field: unknown field; did you mean agent.trust?', { ...leaf, field: 'agent.thrust' }],
    ['when.field: unknown field', { ...leaf, field: 'weather.in.paris' }],
    ['when.field: unknown field', {}],
    ['when.field: must be payload.<JSON pointer> with at most one *', { ...leaf, field: 'payload./a/*/b/*' }],
    [
      'when.op: must be one of eq, ne, gt, gte, lt, lte, between, in, not_in for this field',
      { ...leaf, op: 'contains' },
    ],
    ['when.op: must be one of eq for this field', { field: 'signals.shell', op: 'ne', value: true }],
    ['when.op: must be one of cidr_in for this field', { field: 'request.ip', op: 'eq', value: '10.0.0.1' }],
    ['when.value: must be of type number', { ...leaf, value: '1' }],
    ['when.value: must be of type boolean', { field: 'signals.shell', op: 'eq', value: 'true' }],
    ['when.value: must be a list of 1 to 200 values', { field: 'node.id', op: 'in', value: [] }],
    ['when.value: must be a list of two values', { ...leaf, op: 'between', value: [1] }],
    ['when.value: must be one of AUTO, SOFT, HARD', { field: 'action.base_tier', op: 'gte', value: 'MEDIUM' }],
    ['when.value: must be one of user, api_key, client', { field: 'principal.type', op: 'in', value: ['robot'] }],
    [
      'when.value: must be address ranges such as 10.0.0.0/8',
      { field: 'request.ip', op: 'cidr_in', value: '10.0.0.0/33' },
    ],
    ['when.not.not.not.not.not.not: must not be nested deeper than 6', nested(7)],
  ])('%s', (finding, when) => {
    expect(findings({ when })).toEqual([finding])
  })

  test.each([
    nested(6),
    { field: 'context.ticket', op: 'eq', value: true },
    { field: 'payload./items/*/price', op: 'between', value: [1, 5] },
    { field: 'payload./a', op: 'exists' },
    { field: 'payload./a', op: 'exists', value: false },
    { field: 'signals.external_domains', op: 'domain_in', value: 'acme.example' },
    { field: 'action.kind', op: 'glob', value: 'message_*' },
  ])('%j is one', (when) => {
    expect(findings({ when, unless: when })).toEqual([])
  })

  test('a text is at most 256 characters long', () => {
    expect(findings({ when: { field: 'node.id', op: 'eq', value: 'x'.repeat(257) } })).toHaveLength(1)
  })

  test('exists is for payloads only', () => {
    expect(findings({ when: { field: 'context.ticket', op: 'exists' } })).toHaveLength(1)
  })
})
