// Tokens that are not what they say: a corpus of forgeries, none of which may open anything.
import { createHmac } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair } from 'jose'
import { describe, expect, test, afterEach, beforeEach } from 'vitest'
import * as z from 'zod'
import { setRuntime } from '../../../shared/base/context.ts'
import { endpoint } from '../../../shared/edge/endpoint.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { sessions } from '../../../shared/identity/sessions/session.ts'
import { users } from '../../../shared/identity/accounts/user.ts'
import { CLIENT_ID, startTokenIssuer, SUB, type TokenIssuer } from '../../support/token-issuer.ts'
import { type Deployment, deploy, type Reply, route } from './deployment.ts'
import { account, session, TENANT } from './signed-in.ts'

const shapes = { response: z.object({ mode: z.string(), user: z.string(), roles: z.array(z.string()) }) }
const whoAmI = endpoint(route({ evidence: { none: 'test' }, success: 200 }), shapes, async ({ ctx }) => ({
  mode: ctx.space.mode,
  user: ctx.principal.id,
  roles: [...ctx.principal.roles],
}))

let service: Deployment
let issuer: TokenIssuer
let time: number

beforeEach(async () => {
  service = await deploy()
  coldStart()
  time = service.clock.now()
  setRuntime({ clock: { ...service.clock, now: () => time } })
  issuer = await startTokenIssuer({ tenant_id: TENANT, now: () => time })
  await service.ctx.table.commit([users.insert(account()), sessions.insert(session(time))])
})
afterEach(() => issuer.stop())

const call = (token: string, headers: Record<string, string> = {}): Promise<Reply> =>
  service.send(whoAmI, { headers: { Authorization: `Bearer ${token}`, ...headers } })

const refused = {
  status: 401,
  headers: { 'WWW-Authenticate': expect.stringMatching(/^Bearer realm="countersign", resource_metadata=/) },
  body: {
    detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
    code: 'unauthenticated',
    request_id: expect.any(String),
  },
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (header: object) => `${encoded(header)}.${encoded(issuer.claims())}.`

describe('a token that is not what it says', () => {
  /** Each made from a good one, in one respect. */
  const CORPUS: Record<string, () => string | Promise<string>> = {
    'alg none': () => unsigned({ alg: 'none' }),
    'alg None': () => unsigned({ alg: 'None' }),
    'alg none with a signature': () => `${unsigned({ alg: 'none' })}AAAA`,
    'HS256 with the public key as its secret': async () => {
      const input = `${encoded({ alg: 'HS256', kid: 'key-1' })}.${encoded(issuer.claims())}`
      const secret = await exportSPKI(issuer.pair.publicKey)
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
    },
    'a foreign key under our kid': async () => issuer.sign({}, {}, (await generateKeyPair('RS256')).privateKey),
    'a foreign key brought along as jwk': async () => {
      const own = await generateKeyPair('RS256', { extractable: true })
      return issuer.sign({}, { jwk: await exportJWK(own.publicKey) }, own.privateKey)
    },
    'a foreign key set named by jku': async () => {
      const own = await generateKeyPair('RS256')
      return issuer.sign({}, { jku: `${issuer.issuer}/other.json` }, own.privateKey)
    },
    'a kid that is a path': () => issuer.sign({}, { kid: '../../../../dev/null' }),
    'an unknown kid': () => issuer.sign({}, { kid: 'key-2' }),
    'a PS256 signature by the right key': async () =>
      issuer.sign({}, { alg: 'PS256' }, (await generateKeyPair('PS256')).privateKey),
    'another issuer': () => issuer.sign({ iss: 'https://elsewhere.example' }),
    'no issuer': () => issuer.sign({ iss: undefined }),
    'another audience': () => issuer.sign({ aud: 'client-2' }),
    'another app client': () => issuer.sign({ aud: undefined, client_id: 'client-2' }),
    'another app client with our audience': () => issuer.sign({ client_id: 'client-2' }),
    'several audiences': () => issuer.sign({ aud: [CLIENT_ID, 'client-2'] }),
    'neither audience nor client': () => issuer.sign({ aud: undefined, client_id: undefined }),
    'a token that has expired': () => issuer.sign({ exp: Math.floor(time / 1_000) - 5 }),
    'no expiry': () => issuer.sign({ exp: undefined }),
    'an expiry that is no number': () => issuer.sign({ exp: '9999999999' }),
    'not valid yet': () => issuer.sign({ nbf: Math.floor(time / 1_000) + 60 }),
    'no subject': () => issuer.sign({ sub: undefined }),
    'no tenant': () => issuer.sign({ tenant_id: undefined }),
    'no roles': () => issuer.sign({ roles: undefined }),
    'no address': () => issuer.sign({ email: undefined }),
    'no time of issue': () => issuer.sign({ iat: undefined }),
    'no session': () => issuer.sign({ origin_jti: undefined }),
    'a tenant that would forge a key': () => issuer.sign({ tenant_id: 'ten_1#live' }),
    'another tenant': () => issuer.sign({ tenant_id: 'ten_2' }),
    'another person': () => issuer.sign({ sub: SUB.replace('7', '8') }),
    'an ID token': () => issuer.sign({ token_use: 'id' }),
    'no token use': () => issuer.sign({ token_use: undefined }),
    'a critical extension': () => issuer.sign({}, { crit: ['exp'], exp: 1 }).catch(() => critical()),
    'a swapped payload': async () => {
      const [header = '', , signature = ''] = (await issuer.sign()).split('.')
      return `${header}.${encoded({ ...issuer.claims(), roles: ['owner', 'admin'] })}.${signature}`
    },
    'a cut signature': async () => (await issuer.sign()).slice(0, -4),
    'no signature': async () => `${(await issuer.sign()).split('.').slice(0, 2).join('.')}.`,
    'two parts only': async () => (await issuer.sign()).split('.').slice(0, 2).join('.'),
    'four parts': async () => `${await issuer.sign()}.AAAA`,
    'a payload that is no JSON': () => `${encoded({ alg: 'RS256' })}.AAAA.AAAA`,
    'an OAuth token that does not say so': () => issuer.sign({ iss: issuer.appUrl, aud: 'https://api.example' }),
  }

  const critical = async () => {
    const [, payload = '', signature = ''] = (await issuer.sign()).split('.')
    return `${encoded({ alg: 'RS256', kid: 'key-1', crit: ['x'], x: 1 })}.${payload}.${signature}`
  }

  test.each(Object.entries(CORPUS))('is refused: %s', async (_, forge) => {
    expect((await call(await issuer.sign())).status, 'the good one').toBe(200)

    expect(await call(await forge())).toEqual({ ...refused, headers: expect.objectContaining(refused.headers) })
  })

  test('is refused beside another credential', async () => {
    const key = await service.key()

    expect(await call(await issuer.sign(), { 'X-API-Key': key })).toMatchObject(refused)
  })

  test('503: keys that cannot be read make no token bad', async () => {
    issuer.served.status = 500

    expect((await call(await issuer.sign())).status).toBe(503)
  })
})
