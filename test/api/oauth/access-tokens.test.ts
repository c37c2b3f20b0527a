// Access tokens that are almost right. The genuine ones are signed by the stand-in's own key, so that nothing but the named
// flaw is wrong with each.
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import type * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { oauthKeys } from '../../../shared/identity/oauth/public-keys.ts'
import { signWithKms } from '../../../shared/identity/oauth/sign-with-kms.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorized, CODE_CLIENT, discovered, followClock, newClient } from '../../support/oauth.ts'
import { showFactor } from '../../support/factors.ts'
import { personWith } from '../../support/people.ts'
import { claimsOf, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>
let kid: string
let genuine: Record<string, unknown>

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  tokens = (await authorized(local, await discovered(local, await newClient(acme)), acme.owner)).tokens
  genuine = claimsOf(tokens.access_token)
  kid = (await oauthKeys())[0]?.jwk.kid ?? ''
})
afterAll(() => {
  vi.restoreAllMocks()
})

type Part = Record<string, unknown>

const encoded = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url')
const unsigned = (header: Part, claims: Part) =>
  `${encoded({ alg: 'RS256', typ: 'at+jwt', kid, ...header })}.${encoded({ ...genuine, ...claims })}`

/** A token that the server's own key has signed, with what is given instead of what the genuine one says. */
async function signed(header: Part, claims: Part): Promise<string> {
  const [key] = await oauthKeys()
  if (!key) throw new Error('no key')
  const text = unsigned(header, claims)
  return `${text}.${Buffer.from(await signWithKms(key.arn, Buffer.from(text))).toString('base64url')}`
}

const statusOf = async (key: string) => (await acme.as({ key }).call(approvals.list)).status

describe('the API', () => {
  test('takes the genuine token, and one that says the same', async () => {
    expect([await statusOf(tokens.access_token), await statusOf(await signed({}, {}))]).toEqual([200, 200])
  })

  test.each([
    ['the type of another token', { typ: 'JWT' }, {}],
    ['no type', { typ: undefined }, {}],
    ['another issuer', {}, { iss: 'https://evil.example' }],
    ['another audience', {}, { aud: 'https://other.example' }],
    ['no audience', {}, { aud: undefined }],
    ['no end', {}, { exp: undefined }],
    ['an end that is past', {}, { exp: 1 }],
    ['no beginning', {}, { iat: undefined }],
    ['no tenant', {}, { tenant_id: undefined }],
    ['no roles', {}, { roles: undefined }],
    ['no e-mail address though it is of a person', {}, { email: undefined }],
    ['no client', {}, { client_id: undefined }],
    ['an unknown key', { kid: 'unknown' }, {}],
    ['a path for a key', { kid: '../../dev/null' }, {}],
    ['an extension that must be understood', { crit: ['exp'] }, {}],
    ['a mode that there is not', {}, { mode: 'both' }],
  ])('refuses a token with %s', async (_, header, claims) => {
    expect(await statusOf(await signed(header, claims))).toBe(401)
  })

  test('refuses a token that names another tenant than its client', async () => {
    expect(await statusOf(await signed({}, { tenant_id: other.tenant_id }))).toBe(401)
  })

  test('refuses an ID token and a refresh token', async () => {
    expect(await statusOf(tokens.id_token ?? '')).toBe(401)
    expect(await statusOf(tokens.refresh_token ?? '')).toBe(401)
  })

  test('refuses signatures of others, of another kind, or none', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const jwk = publicKey.export({ format: 'jwk' })
    const foreign = (header: Part) => {
      const text = unsigned(header, {})
      return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey).toString('base64url')}`
    }
    const [key] = await oauthKeys()
    const hs = unsigned({ alg: 'HS256' }, {})
    const mac = createHmac('sha256', Buffer.from(key?.spki ?? []))
      .update(hs)
      .digest('base64url')
    const { access_token } = tokens
    const [head, body, signature] = access_token.split('.')

    const bad = [
      foreign({}),
      foreign({ jwk }),
      foreign({ jku: 'https://evil.example/jwks.json' }),
      `${hs}.${mac}`,
      `${unsigned({ alg: 'none' }, {})}.`,
      `${unsigned({ alg: 'None' }, {})}.${signature}`,
      `${head}.${encoded({ ...genuine, roles: ['owner', 'admin'] })}.${signature}`,
      `${head}.${body}.`,
      access_token.slice(0, -10),
    ]
    for (const token of bad) expect(await statusOf(token), token.slice(0, 60)).toBe(401)
  })

  test('lets a client that people were not asked about do no more than its maker could', async () => {
    const owner = await signIn(local, acme.owner)
    const admin = await showFactor(local, await personWith(local, owner, ['admin']))
    const denied = { roles: ['admin'], denies: ['audit:read'] }
    await owner.call(users.setRoles, { params: { id: admin.user_id }, body: denied })
    const readsLog = async (skip_consent: boolean) => {
      const wanted = { ...CODE_CLIENT, scopes: ['openid', 'evidence:read'], skip_consent }
      const config = await discovered(local, await newClient(admin, wanted))
      const { access_token: key } = (await authorized(local, config, acme.owner, { scope: 'openid evidence:read' }))
        .tokens
      return (await acme.as({ key }).call(security.auditLogs, { params: { tenant_id: acme.tenant_id } })).status
    }

    expect([await readsLog(false), await readsLog(true)]).toEqual([200, 403])
  })
})
