// Logout tokens (OpenID Connect Back-Channel Logout 1.0): signed with the key of ID tokens, and good for one request.
import { env } from '../../base/lib/env.ts'
import type { Context } from '../../base/context.ts'
import { oauthKeys } from './public-keys.ts'
import type { Sign } from './signing-key.ts'

/** The specification recommends at most two minutes. */
const LIFETIME_S = 120

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** `sid`: one session of the client; without it all sessions of the person there. */
export type Told = { client_id: string; user_id: string; sid?: string | undefined }

/** `now`: ms. */
export function logoutClaims({ client_id, user_id, sid }: Told, jti: string, now: number) {
  const iat = Math.floor(now / 1_000)
  return {
    iss: env('APP_URL'),
    aud: client_id,
    iat,
    exp: iat + LIFETIME_S,
    jti,
    sub: user_id,
    ...(sid !== undefined && { sid }),
    events: { [EVENT]: {} },
  }
}

export async function logoutToken(ctx: Context, told: Told, sign: Sign): Promise<string> {
  const [key] = await oauthKeys()
  if (!key) throw new Error('there is no key for OAuth tokens')
  const header = { alg: key.jwk.alg, typ: 'logout+jwt', kid: key.jwk.kid }
  const signed = `${encoded(header)}.${encoded(logoutClaims(told, ctx.id('lgt'), ctx.now()))}`
  return `${signed}.${Buffer.from(await sign(key.arn, Buffer.from(signed))).toString('base64url')}`
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
