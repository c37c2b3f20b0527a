import { describe, expect, test } from 'vitest'
import { mayBeGood } from '../../../../shared/identity/oauth/may-be-good.ts'

const NOW = 1_800_000_000_000
const expected = { issuer: 'https://app', audience: 'https://api/mcp/ten_1', now: NOW }
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const good = { iss: 'https://app', aud: 'https://api/mcp/ten_1', exp: NOW / 1_000 + 60 }
const tokenOf = (claims: unknown) => `Bearer ${part({ alg: 'RS256' })}.${part(claims)}.c2ln`
const passes = (authorization: string[], apiKey: string[] = []) => mayBeGood({ authorization, apiKey }, expected)

test.each([
  ['a key as bearer', ['Bearer ak_live_1'], []],
  ['a key in its own header', [], ['anything']],
  ['two credentials, one of them a key: the function has words for it', [tokenOf(good)], ['ak_live_1']],
  ['a token that nobody has verified', [tokenOf(good)], []],
  ['a token in its last seconds, by a slow clock', [tokenOf({ ...good, exp: NOW / 1_000 - 4 })], []],
  ['a scheme in other letters', [tokenOf(good).replace('Bearer', 'bearer')], []],
])('%s passes', (_, authorization, apiKey) => {
  expect(passes(authorization, apiKey)).toBe(true)
})

describe('without a chance is', () => {
  test.each([
    ['nothing', []],
    ['an empty header', ['']],
    ['another scheme', ['Basic YTpi']],
    ['a bearer that is neither key nor token', ['Bearer nothing']],
    ['a token sent twice', [tokenOf(good), tokenOf(good)]],
    ['a token with a part too many', [`${tokenOf(good)}.x`]],
    ['a token whose claims are no JSON', ['Bearer a.b.c']],
    ['a token whose claims are no object', [tokenOf(null)]],
    ['a token without claims', [tokenOf({})]],
    ['a token of another issuer', [tokenOf({ ...good, iss: 'https://evil' })]],
    ['a token for the API', [tokenOf({ ...good, aud: 'https://api' })]],
    ['a token for the tools of another tenant', [tokenOf({ ...good, aud: 'https://api/mcp/ten_2' })]],
    ['a token that has expired', [tokenOf({ ...good, exp: NOW / 1_000 - 5 })]],
    ['a token whose end is no number', [tokenOf({ ...good, exp: '9999999999' })]],
  ])('%s', (_, authorization) => {
    expect(passes(authorization)).toBe(false)
  })
})
