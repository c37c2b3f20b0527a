// What a browser is asked for (Web Authentication Level 3, sections 5.4 and 5.5, in their JSON form). Verification of the
// person is required, so one gesture is possession and knowledge or biometrics at once.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Context } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import type { User } from '../users/user.ts'
import { newChallenge, type Purpose } from './challenge.ts'
import type { Factor, Passkey, Person } from './factor.ts'

const TIMEOUT_MS = 300_000
/** EdDSA, ECDSA P-256 and RSA PKCS#1, all with what SHA-256 gives (IANA COSE). */
export const ALGORITHMS = [-8, -7, -257]

/**
 * Passkeys belong to the host of the application, or to a parent domain of it that the deployment names: another host is
 * another relying party, whose passkeys do not fit.
 */
export function relyingParty(): { id: string; origins: string[] } {
  const { hostname, origin } = new URL(env('APP_URL'))
  const further = (process.env.WEBAUTHN_ORIGINS ?? '').split(',').filter((each) => each !== '')
  return { id: process.env.WEBAUTHN_RP_ID || hostname, origins: [origin, ...further] }
}

const isPasskey = (factor: Factor): factor is Passkey => factor.type === 'webauthn'

const descriptors = (known: readonly Factor[]) =>
  known.filter(isPasskey).map(({ credential_id: id, transports }) => ({
    id,
    type: 'public-key' as const,
    ...(transports.length > 0 && { transports }),
  }))

export type Asked<O> = { challenge_id: string; options: O }

async function asked<O extends { challenge: string }>(
  ctx: Context,
  person: Person,
  purpose: Purpose,
  options: Omit<O, 'challenge'>,
): Promise<Asked<Omit<O, 'challenge'> & { challenge: string }>> {
  const { id, challenge } = await newChallenge(ctx, person, purpose)
  return { challenge_id: id, options: { ...options, challenge } }
}

/** For one of the passkeys that the person has; undefined when there is none. */
export async function askForPasskey(ctx: Context, person: Person, known: readonly Factor[]) {
  const allowCredentials = descriptors(known)
  if (allowCredentials.length === 0) return undefined
  return asked<PublicKeyCredentialRequestOptionsJSON>(ctx, person, 'verify', {
    rpId: relyingParty().id,
    allowCredentials,
    userVerification: 'required',
    timeout: TIMEOUT_MS,
  })
}

/** For a passkey that the person does not have yet. */
export const askForNewPasskey = (ctx: Context, user: User, known: readonly Factor[]) =>
  asked<PublicKeyCredentialCreationOptionsJSON>(ctx, user, 'register', {
    rp: { id: relyingParty().id, name: 'Countersign' },
    user: {
      id: Buffer.from(user.id).toString('base64url'),
      name: user.email ?? user.name,
      displayName: user.name,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: descriptors(known),
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'required' },
    attestation: 'none',
    timeout: TIMEOUT_MS,
  })
