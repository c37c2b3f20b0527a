// An issuer of session tokens under the test's control: its key set is served over HTTP, as a pool's is, and it signs
// whatever it is told to.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export const CLIENT_ID = 'client-1'
export const SID = '0f9d3c52-6a54-4c0e-9b57-3c1d8f1f2a77'
export const SUB = '7b1f4c9e-9a41-4b39-8a8d-3d6f6f0f6a11'

const SECOND = 1_000

export type TokenIssuer = Awaited<ReturnType<typeof startTokenIssuer>>

/** `tenant_id` of the good tokens; `now` in ms. Sets the environment of the pool. */
export async function startTokenIssuer({ tenant_id, now }: { tenant_id: string; now: () => number }) {
  const pair = await generateKeyPair('RS256', { extractable: true })
  const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' }
  const served = { status: 200, reads: 0 }
  const server = createServer((_, response) => {
    served.reads += 1
    response.writeHead(served.status).end(JSON.stringify({ keys: [publicJwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server always has one
  const [issuer, appUrl] = [`${origin}/pool`, `${origin}/app`]
  Object.assign(process.env, { COGNITO_ISSUER: issuer, COGNITO_CLIENT_ID: CLIENT_ID, APP_URL: appUrl })

  const seconds = () => Math.floor(now() / SECOND)
  /** Of a good access token. */
  const claims = (): JWTPayload => ({
    sub: SUB,
    email: 'anna@example.com',
    tenant_id,
    roles: ['owner'],
    iat: seconds(),
    exp: seconds() + 900,
    iss: issuer,
    aud: CLIENT_ID,
    token_use: 'access',
    client_id: CLIENT_ID,
    username: '01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
    origin_jti: SID,
    auth_time: seconds(),
    scope: '',
    version: 2,
    jti: 'a',
  })
  return {
    issuer,
    /** Issues OAuth tokens, with the same keys. */
    appUrl,
    served,
    claims,
    pair,
    publicJwk,
    /** An undefined claim is left out. */
    sign: (over: Record<string, unknown> = {}, header: object = {}, key = pair.privateKey) =>
      new SignJWT(JSON.parse(JSON.stringify({ ...claims(), ...over })))
        .setProtectedHeader({ alg: 'RS256', kid: 'key-1', ...header })
        .sign(key),
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
