// Options for the browser (Web Authentication Level 3, sections 5.4 and 5.5, JSON form). User verification is required, so
// that a passkey proves possession and either knowledge or biometrics.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Context } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import type { User } from '../accounts/user.ts'
import { newChallenge, openChallenge, type Purpose } from './challenge.ts'
import type { Factor, Passkey, Person } from './factor.ts'

const TIMEOUT_MS = 300_000
/** EdDSA, ES256 and RS256 (IANA COSE algorithms). */
export const ALGORITHMS = [-8, -7, -257]

/**
 * Passkeys belong to the host of the application, or to a parent domain that the deployment configures. Passkeys of another
 * host do not work here.
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

export type Challenged<O> = { challenge_id: string; options: O }

async function withChallenge<O extends { challenge: string }>(
  ctx: Context,
  person: Person,
  purpose: Purpose,
  options: Omit<O, 'challenge'>,
): Promise<Challenged<Omit<O, 'challenge'> & { challenge: string }>> {
  const { id, challenge } = await newChallenge(ctx, person, purpose)
  return { challenge_id: id, options: { ...options, challenge } }
}

/** Options to use one of the person's passkeys; undefined when there is none. */
export async function askForPasskey(ctx: Context, person: Person, known: readonly Factor[]) {
  const allowCredentials = descriptors(known)
  if (allowCredentials.length === 0) return undefined
  return withChallenge<PublicKeyCredentialRequestOptionsJSON>(ctx, person, 'verify', {
    rpId: relyingParty().id,
    allowCredentials,
    userVerification: 'required',
    timeout: TIMEOUT_MS,
  })
}

/** Options to sign in with any passkey of this host: the person chooses one, and it names the account. */
export const askForAnyPasskey = async (ctx: Context): Promise<PublicKeyCredentialRequestOptionsJSON> => ({
  challenge: await openChallenge(ctx),
  rpId: relyingParty().id,
  allowCredentials: [],
  userVerification: 'required',
  timeout: TIMEOUT_MS,
})

/** Options to make a new passkey. */
export const askForNewPasskey = (ctx: Context, user: User, known: readonly Factor[]) =>
  withChallenge<PublicKeyCredentialCreationOptionsJSON>(ctx, user, 'register', {
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
