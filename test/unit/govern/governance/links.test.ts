import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../shared/base/lib/json.ts'
import { LinkSearch } from '../../../../shared/govern/governance/payload/destinations.ts'
import { walk } from '../../../../shared/govern/governance/payload/members.ts'
import { decided, policyOf } from './make.ts'

function hostsIn(payload: Json): string[] | undefined {
  const search = new LinkSearch()
  for (const member of walk(payload)) search.see(member)
  return search.hosts
}

describe('a link is found', () => {
  test.each<[Json, string[]]>([
    ['see https://a.example. And http://B.example:8080/x?y#z', ['a.example', 'b.example']],
    ['![x](https://evil.example/a?d=secret)', ['evil.example']],
    ['{"u":"https:\\/\\/evil.example\\/x"}', ['evil.example']],
    ['https%3A%2F%2Fevil.example%3A80%2Fpath', ['evil.example']],
    ['https:evil.example', ['evil.example']],
    ['s3:%2F%2Fbucket%2Fkey', ['bucket']],
    ['https:/\\evil.example', ['evil.example']],
    ['src="//evil.example/x"', ['evil.example']],
    ['s3://bucket/key', ['bucket']],
    ['http://2852039166/ and http://[::1]:80/', ['169.254.169.254', '[::1]']],
    ['https://evil%2eexample/', ['evil.example']],
    ['https://müller.example', ['xn--mller-kva.example']],
    [{ nested: [{ webhook_url: 'evil.example/x' }] }, ['evil.example']],
    [{ host: '10.0.0.1:80' }, ['10.0.0.1']],
    [{ 'https://a.example/': 1 }, ['a.example']],
  ])('in %j', (payload, hosts) => {
    expect(hostsIn(payload)).toEqual(hosts)
  })
})

test.each<Json>([
  'no link: at all, http: the protocol',
  '// a comment',
  { url: '/v1/orders', path: 'a.b', domain: 'health' },
  { time: '12:30:00', urn: 'urn:isbn:0451450523' },
])('%j has none', (payload) => {
  expect(hostsIn(payload)).toEqual([])
})

describe('a link whose host cannot be told makes the list unknown:', () => {
  test.each([
    'https://good.example@evil.example/',
    'https://good.example,x@evil.example/',
    'https://good.example\\@evil.example',
    `https://${'a'.repeat(600)}@evil.example`,
    'https://{tenant}.example',
    'https://${host}/',
    'https://*.example/',
    'https://ev\u00ADil.example/',
    'https://evil\u3002example',
    'https://\u24D4vil.example',
    'https%3A%2F%2F%zz',
  ])('%s', (text) => {
    expect(hostsIn({ text, other: 'https://good.example/' })).toBeUndefined()
  })

  test('more than a thousand links, or more text than is searched', () => {
    expect(hostsIn('https://a.example/ '.repeat(1_000))).toEqual(['a.example'])
    expect(hostsIn('https://a.example/ '.repeat(1_001))).toBeUndefined()
    expect(hostsIn(['x'.repeat(262_144)])).toEqual([])
    expect(hostsIn(['x'.repeat(262_144), 'y'])).toBeUndefined()
  })
})

describe('a policy', () => {
  const only = policyOf({
    effect: 'forbid',
    unless: { field: 'signals.url_hosts', op: 'domain_in', value: 'acme.example' },
  })
  const outcomeOf = (text: string) => decided({ policies: [only], payload: { text } }).outcome

  test('lets own links pass, and neither others nor what cannot be told', () => {
    const texts = ['none', 'https://www.acme.example/', 'https://evil.example/', 'https://acme.example@evil.example/']

    expect(texts.map(outcomeOf)).toEqual(['run', 'run', 'reject', 'reject'])
  })

  test('may ask for some host in a domain, and fires where one cannot be told', () => {
    const paste = { field: 'signals.url_hosts', op: 'any_domain_in', value: 'paste.example' } as const
    const policies = [policyOf({ effect: 'forbid', when: paste })]
    const texts = ['none', 'https://a.example/', 'https://a.example/ https://raw.paste.example/', 'https://{host}/']

    expect(texts.map((text) => decided({ policies, payload: { text } }).outcome)).toEqual([
      'run',
      'run',
      'reject',
      'reject',
    ])
  })

  test('that is about recipients takes a phone number for one in no domain, and fires where one cannot be told', () => {
    const inside = { field: 'signals.recipient_domains', op: 'domain_in', value: 'acme.example' } as const
    const others = policyOf({ effect: 'forbid', unless: inside })
    const evil = policyOf({ effect: 'forbid', when: { ...inside, op: 'any_in', value: ['evil.example'] } })
    const outcomes = ['a@mail.acme.example', 'b@evil.example', '+49301234567', '@c'].map((to) =>
      [others, evil].map((policy) => decided({ action_id: 'get_x', policies: [policy], payload: { to } }).outcome),
    )

    expect(outcomes).toEqual([
      ['run', 'run'],
      ['reject', 'reject'],
      ['reject', 'run'],
      ['reject', 'reject'],
    ])
  })
})
