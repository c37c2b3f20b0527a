import { describe, expect, test } from 'vitest'
import { calledBy } from '../../../../shared/govern/governance/decide/policy-facts.ts'
import {
  addressesOf,
  ruleOf,
  type Freezable,
  FreezeScope,
  frozenBy,
  isFreeze,
  readFreezes,
} from '../../../../shared/govern/governance/freeze.ts'

const action: Freezable = {
  node_id: 'crm.contacts.editor',
  kind: 'delete',
  requester: { type: 'api_key', id: 'key_1', persons: ['ada'] },
}
const stops = (scope: FreezeScope, more: Partial<Freezable> = {}) =>
  frozenBy([{ id: 'frz_1', scope }], { ...action, ...more }).length > 0

describe('what a freeze stops', () => {
  test('of a tenant: everything', () => expect(stops({ tenant: true })).toBe(true))

  test('of nodes and kinds: these and no others', () => {
    expect(stops({ node_ids: ['crm.contacts.editor'] })).toBe(true)
    expect(stops({ node_ids: ['crm.contacts.reader'] })).toBe(false)
    expect(stops({ action_kinds: ['delete'] })).toBe(true)
    expect(stops({ action_kinds: ['payment'] })).toBe(false)
  })

  test.each<[string, Partial<Freezable>, boolean]>([
    ['the agent itself', { agent_id: 'bot', agent_bound: true }, true],
    ['another bound agent', { agent_id: 'other', agent_bound: true }, false],
    ['a key that states it', { agent_id: 'bot' }, true],
    ['a key that states another, since it may say this one next', { agent_id: 'other' }, true],
    ['a key without an agent', {}, true],
    ['a client without an agent', { requester: { type: 'client', id: 'cli_1', persons: [] } }, true],
    ['a client of a person', { requester: { type: 'user', id: 'ada', persons: ['ada'], client_id: 'cli_1' } }, true],
    ['a person', { requester: { type: 'user', id: 'ada', persons: ['ada'] } }, false],
    ['a person who states it', { requester: { type: 'user', id: 'ada', persons: ['ada'] }, agent_id: 'bot' }, true],
  ])('of an agent: %s', (_, caller, stopped) => expect(stops({ agents: ['bot'] }, caller)).toBe(stopped))

  test('of callers: the caller, and everything that a frozen person stands behind', () => {
    expect(stops({ principals: ['key_1'] })).toBe(true)
    expect(stops({ principals: ['ada'] })).toBe(true)
    expect(stops({ principals: ['key_2', 'ben'] })).toBe(false)
    const requester = { type: 'user' as const, id: 'ada', persons: ['ada'], client_id: 'cli_1' }
    expect(stops({ principals: ['cli_1'] }, { requester })).toBe(true)
  })

  test.each([
    ['api.shop.example', true],
    ['API.shop.example:8443'.toLowerCase(), true],
    ['shop.example', true],
    ['eu.api.shop.example', true],
    ['noshop.example', false],
    ['shop.example.evil.example', false],
    [null, true], // of a connection whose host nobody knows
  ])('of a host: what is carried out there or below it (%s)', (host, stopped) => {
    expect(stops({ hosts: ['shop.example'] }, { called: { method: 'POST', host, path: '/' } })).toBe(stopped)
    expect(stops({ hosts: ['shop.example'] })).toBe(false)
  })

  test.each([
    ['https://shop.example/run', true],
    ['http://shop.example//Run/?x=1', true],
    ['https://shop.example/%72un', true],
    ['https://shop.example/run/2', false],
    ['https://shop.example:8443/run', false],
    ['https://other.example/run', false],
  ])('of a node: its address under any other name (%s)', (url, stopped) => {
    const addresses = addressesOf([{ target: { type: 'http', url: 'https://shop.example/run', method: 'DELETE' } }])
    const called = calledBy({ target: { type: 'http', url } })
    const freezes = [{ id: 'frz_1', scope: { node_ids: ['shop.billing.refunds'] }, addresses }]

    expect(frozenBy(freezes, { ...action, called }).length > 0).toBe(stopped)
  })

  test('of a node with many addresses: their hosts', () => {
    const url = (i: number) => `https://shop.example/${i}`
    const many = Array.from({ length: 65 }, (_, i) => ({ target: { type: 'http' as const, url: url(i) } }))
    const called = calledBy({ target: { type: 'http', url: url(1_000) } })
    const freezes = (addresses: string[]) => [{ id: 'frz_1', scope: { node_ids: ['a.b.c'] }, addresses }]

    expect(addressesOf(many)).toHaveLength(1)
    expect(frozenBy(freezes(addressesOf(many)), { ...action, called })).toHaveLength(1)
    expect(frozenBy(freezes(addressesOf(many.slice(1))), { ...action, called })).toEqual([])
  })

  test('each freeze is a cause of its own', () => {
    const all = ['frz_1', 'frz_2'].map((id) => ({ id, scope: { tenant: true as const } }))

    expect(frozenBy(all, action).map(ruleOf)).toEqual(['freeze:frz_1', 'freeze:frz_2'])
    expect(isFreeze({ policy_id: 'freeze:frz_1' })).toBe(true)
    expect(isFreeze({ policy_id: 'pol_freeze:' })).toBe(false)
  })
})

test.each([
  [{}],
  [{ tenant: false }],
  [{ tenant: true, agents: ['bot'] }],
  [{ agents: [] }],
  [{ agents: Array.from({ length: 21 }, String) }],
  [{ action_kinds: ['everything'] }],
  [{ node_ids: ['not a node'] }],
  [{ hosts: ['https://shop.example'] }],
  [{ hosts: ['Shop.example'] }],
  [{ hosts: ['shop.example:443'] }],
])('a scope is exactly one, not empty and of known words: not %j', (scope) =>
  expect(FreezeScope.safeParse(scope).success).toBe(false),
)

test('freezes that cannot be read stop the request instead of letting it pass', () => {
  expect(readFreezes({})).toEqual([])
  expect(() => readFreezes({ freezes: '{' })).toThrow(SyntaxError)
  expect(() => readFreezes({ freezes: '[{"id":"frz_1","scope":{"all":true}}]' })).toThrow('Unrecognized key')
})
