import { describe, expect, test } from 'vitest'
import {
  compileCondition,
  compileSet,
  type LeafOutcome,
} from '../../../../shared/govern/governance/conditions/compile.ts'
import type { Cond } from '../../../../shared/govern/governance/conditions/condition.ts'
import type { Facts, NamedFacts } from '../../../../shared/govern/governance/conditions/fact-list.ts'
import type { Truth } from '../../../../shared/govern/governance/decide/evaluation.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'
import { policyOf } from './make.ts'

const truthOf = (cond: Cond, facts: Partial<Facts>): Truth => compileCondition(cond).test({ named: {}, ...facts })
const named = (facts: NamedFacts) => ({ named: facts })

describe('operators', () => {
  test.each<[Cond, NamedFacts, Truth]>([
    [{ field: 'node.id', op: 'eq', value: 'a.b.c' }, { 'node.id': 'a.b.c' }, true],
    [{ field: 'node.id', op: 'ne', value: 'a.b.c' }, { 'node.id': 'a.b.d' }, true],
    [{ field: 'node.id', op: 'in', value: ['x', 'a.b.c'] }, { 'node.id': 'a.b.c' }, true],
    [{ field: 'node.id', op: 'not_in', value: ['x'] }, { 'node.id': 'a.b.c' }, true],
    [{ field: 'node.id', op: 'starts_with', value: 'a.' }, { 'node.id': 'a.b.c' }, true],
    [{ field: 'node.id', op: 'ends_with', value: '.b' }, { 'node.id': 'a.b.c' }, false],
    [{ field: 'node.id', op: 'contains', value: '.b.' }, { 'node.id': 'a.b.c' }, true],
    [{ field: 'node.id', op: 'glob', value: 'a.**' }, { 'node.id': 'a.b.c' }, true],
    [{ field: 'action.kind', op: 'eq', value: 'delete' }, { 'action.kind': 'delete' }, true],
    [{ field: 'action.risk', op: 'gt', value: 50 }, { 'action.risk': 50 }, false],
    [{ field: 'action.risk', op: 'gte', value: 50 }, { 'action.risk': 50 }, true],
    [{ field: 'action.risk', op: 'lt', value: 50 }, { 'action.risk': 49 }, true],
    [{ field: 'action.risk', op: 'lte', value: 50 }, { 'action.risk': 51 }, false],
    [{ field: 'action.risk', op: 'between', value: [10, 50] }, { 'action.risk': 50 }, true],
    [{ field: 'action.risk', op: 'in', value: [1, 2] }, { 'action.risk': 2 }, true],
    [{ field: 'action.base_tier', op: 'gte', value: 'SOFT' }, { 'action.base_tier': 'HARD' }, true],
    [{ field: 'action.base_tier', op: 'lt', value: 'SOFT' }, { 'action.base_tier': 'SOFT' }, false],
    [{ field: 'action.base_tier', op: 'between', value: ['AUTO', 'SOFT'] }, { 'action.base_tier': 'HARD' }, false],
    [{ field: 'action.reversible', op: 'eq', value: false }, { 'action.reversible': false }, true],
    [{ field: 'request.ip', op: 'cidr_in', value: '192.0.2.0/24' }, { 'request.ip': '192.0.2.200' }, true],
    [
      { field: 'request.ip', op: 'cidr_in', value: ['10.0.0.0/8', '2001:db8::/32'] },
      { 'request.ip': '2001:db8::9' },
      true,
    ],
    [{ field: 'request.ip', op: 'cidr_in', value: '192.0.2.0/24' }, { 'request.ip': '::ffff:192.0.2.1' }, true],
    [{ field: 'request.ip', op: 'cidr_in', value: '192.0.2.0/24' }, { 'request.ip': '192.0.3.0' }, false],
    [{ field: 'request.ip', op: 'cidr_in', value: '192.0.2.0/24' }, { 'request.ip': 'nowhere' }, undefined],
    [{ field: 'principal.roles', op: 'any_in', value: ['owner', 'admin'] }, { 'principal.roles': ['admin'] }, true],
    [{ field: 'principal.roles', op: 'none_in', value: ['owner'] }, { 'principal.roles': ['admin'] }, true],
    [{ field: 'principal.roles', op: 'all_in', value: ['owner'] }, { 'principal.roles': ['owner', 'admin'] }, false],
    [{ field: 'principal.roles', op: 'contains', value: 'admin' }, { 'principal.roles': ['admin'] }, true],
    [
      { field: 'signals.external_domains', op: 'domain_in', value: 'acme.example' },
      { 'signals.external_domains': ['eu.acme.example'] },
      true,
    ],
    [
      { field: 'signals.external_domains', op: 'domain_in', value: ['acme.example'] },
      { 'signals.external_domains': ['acme.example', 'evil.example'] },
      false,
    ],
  ])('%j on %j: %s', (cond, facts, truth) => {
    expect(truthOf(cond, named(facts))).toBe(truth)
  })

  test.each<[Cond, Json, Truth]>([
    [{ field: 'payload./a/b', op: 'eq', value: 5 }, { a: { b: 5 } }, true],
    [{ field: 'payload./a', op: 'eq', value: 5 }, { a: '5' }, undefined],
    [{ field: 'payload./a', op: 'ne', value: 5 }, { a: '5' }, undefined],
    [{ field: 'payload./a', op: 'in', value: [5, 'x'] }, { a: 'x' }, true],
    [{ field: 'payload./a', op: 'gt', value: 5 }, { a: 'HARD' }, undefined],
    [{ field: 'payload./a', op: 'contains', value: 'x' }, { a: ['x'] }, true],
    [{ field: 'payload./a', op: 'contains', value: 'x' }, { a: 'axb' }, true],
    [{ field: 'payload./a', op: 'contains', value: 'x' }, { a: [1] }, undefined],
    [{ field: 'payload./to', op: 'domain_in', value: 'acme.example' }, { to: 'ann@acme.example' }, true],
    [
      { field: 'payload./to', op: 'domain_in', value: 'acme.example' },
      { to: ['ann@acme.example', 'x y@acme.example'] },
      undefined,
    ],
    [
      { field: 'payload./url', op: 'domain_in', value: 'acme.example' },
      { url: 'https://acme.example@evil.example' },
      undefined,
    ],
    [
      { field: 'payload./to/*', op: 'any_domain_in', value: 'acme.example' },
      { to: ['bob@evil.example', 'ann@mail.acme.example'] },
      true,
    ],
    [
      { field: 'payload./to', op: 'any_domain_in', value: ['acme.example'] },
      { to: ['bob@evil.example', 'x y@acme.example'] },
      undefined,
    ],
    [{ field: 'payload./to', op: 'any_domain_in', value: 'acme.example' }, { to: [] }, false],
    [{ field: 'payload./a', op: 'exists' }, { a: 0 }, true],
    [{ field: 'payload./a', op: 'exists' }, { a: null }, false],
    [{ field: 'payload./a', op: 'exists', value: false }, {}, true],
    [{ field: 'payload./a', op: 'eq', value: true }, { a: true }, true],
    [{ field: 'payload./constructor', op: 'exists' }, {}, false],
  ])('%j on the payload %j: %s', (cond, payload, truth) => {
    expect(truthOf(cond, { payload })).toBe(truth)
  })

  test('only scalars of the context are facts', () => {
    const cond: Cond = { field: 'context.ticket', op: 'eq', value: 'T-1' }

    expect(truthOf(cond, { context: { ticket: 'T-1' } })).toBe(true)
    expect(truthOf(cond, { context: { ticket: { id: 'T-1' } } })).toBeUndefined()
    expect(truthOf(cond, {})).toBeUndefined()
    expect(truthOf({ field: 'context.constructor', op: 'eq', value: 'x' }, { context: {} })).toBeUndefined()
  })

  test('everything but exists is unknown when the field is missing', () => {
    for (const op of ['eq', 'ne', 'gt', 'not_in', 'none_in', 'cidr_in', 'domain_in', 'glob', 'between'] as const) {
      expect(
        truthOf({ field: 'payload./x', op, value: op === 'between' ? [1, 2] : ['x'] }, { payload: {} }),
      ).toBeUndefined()
    }
  })

  test('a leaf that cannot be read is unknown', () => {
    expect(truthOf({ field: 'action.colour', op: 'eq', value: 'red' }, {})).toBeUndefined()
    expect(truthOf({ field: 'constructor', op: 'eq', value: 'x' }, {})).toBeUndefined()
    const stored: Cond = JSON.parse('{"field":"node.id","op":"sounds_like","value":"x"}')
    expect(truthOf(stored, named({ 'node.id': 'x' }))).toBeUndefined()
  })
})

describe('a star in a payload pointer', () => {
  const over: Cond = { field: 'payload./items/*/price', op: 'gt', value: 10 }

  test.each<[number[], Truth]>([
    [[11, 12], true],
    [[1, 2], false],
    [[1, 12], undefined],
    [[], undefined],
  ])('prices %j over 10: %s', (prices, truth) => {
    expect(truthOf(over, { payload: { items: prices.map((price) => ({ price })) } })).toBe(truth)
  })

  test('an element without the member is unknown', () => {
    expect(truthOf(over, { payload: { items: [{ price: 11 }, {}] } })).toBeUndefined()
  })

  test('operators on lists see all elements at once', () => {
    const cond: Cond = { field: 'payload./items/*/tag', op: 'any_in', value: ['x'] }

    expect(truthOf(cond, { payload: { items: [{ tag: 'a' }, { tag: 'x' }] } })).toBe(true)
    expect(truthOf({ field: 'payload./items/*/tag', op: 'exists' }, { payload: { items: [{ tag: 1 }, {}] } })).toBe(
      false,
    )
    expect(truthOf({ field: 'payload./items/*/tag', op: 'exists' }, { payload: { items: [] } })).toBe(false)
  })
})

const whyOf = (cond: Cond, facts: NamedFacts) => {
  const condition = compileCondition(cond)
  const why: LeafOutcome[] = []
  condition.addDeciding(named(facts), condition.test(named(facts)), why)
  return why
}

describe('the deciding leaves', () => {
  const isDelete: Cond = { field: 'action.kind', op: 'eq', value: 'delete' }
  const isBig: Cond = { field: 'signals.amount', op: 'gt', value: 10 }

  test('are those whose outcome every level up repeats', () => {
    const both: Cond = { all: [isDelete, { any: [isBig, { not: isDelete }] }] }

    expect(whyOf(both, { 'action.kind': 'delete', 'signals.amount': 11 })).toEqual([
      { field: 'action.kind', op: 'eq', outcome: 'true' },
      { field: 'signals.amount', op: 'gt', outcome: 'true' },
    ])
    expect(whyOf(both, { 'action.kind': 'delete' })).toEqual([
      { field: 'signals.amount', op: 'gt', outcome: 'unknown' },
    ])
    expect(whyOf(both, { 'action.kind': 'read', 'signals.amount': 1 })).toEqual([
      { field: 'action.kind', op: 'eq', outcome: 'false' },
    ])
  })

  test('below a not are told as they are', () => {
    expect(whyOf({ not: isDelete }, { 'action.kind': 'read' })).toEqual([
      { field: 'action.kind', op: 'eq', outcome: 'false' },
    ])
  })
})

describe('a set', () => {
  test('holds enabled policies, high priority first, then by id', () => {
    const [a, b, c, off] = [
      policyOf({ effect: 'forbid', priority: 1 }),
      policyOf({ effect: 'forbid', priority: 9 }),
      policyOf({ effect: 'forbid', priority: 9 }),
      policyOf({ effect: 'forbid', enabled: false }),
    ]

    expect(compileSet([c, a, off, b]).policies.map(({ policy }) => policy)).toEqual([b, c, a])
  })

  test.each<[string, string, NamedFacts]>([
    ['node_ids', 'acme.*.*', { 'node.id': 'acme.a.b' }],
    ['categories', 'pay*', { 'node.category': 'payment' }],
    ['action_ids', 'delete_*', { 'action.id': 'delete_user' }],
    ['action_kinds', 'delete', { 'action.kind': 'delete' }],
    ['agents', 'agt_1', { 'agent.id': 'agt_1' }],
    ['listing_tiers', 'prod*', { 'node.listing_tier': 'production' }],
  ])('scope %s holds a policy to what it names', (list, glob, facts) => {
    const [policy] = compileSet([policyOf({ effect: 'forbid', scope: { [list]: [glob] } })]).policies

    expect(policy?.inScope(named(facts))).toBe(true)
    expect(policy?.inScope(named({}))).toBe(false)
  })
})
