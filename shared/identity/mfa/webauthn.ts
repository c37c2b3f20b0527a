// Verifies the answers of authenticators. Loaded only when needed, because the library is large.
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type { Passkey } from './factor.ts'
import { ALGORITHMS, relyingParty } from './webauthn-options.ts'

/** The answer of the browser as it came. The library validates it. */
export type Credential = Record<string, unknown>

export type NewPasskey = Pick<Passkey, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'synced'>

/** Undefined for a passkey that was not made for this host and this challenge with the person verified. */
export async function readNewPasskey(credential: Credential, challenge: string): Promise<NewPasskey | undefined> {
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty()
  const response = credential as unknown as RegistrationResponseJSON // it checks every member before using it
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined)
  if (!verified?.registrationInfo) return undefined
  const { credential: made, credentialDeviceType } = verified.registrationInfo
  return {
    credential_id: made.id,
    public_key: Buffer.from(made.publicKey).toString('base64url'),
    counter: made.counter,
    transports: (made.transports ?? []).filter((each) => typeof each === 'string').slice(0, 8),
    synced: credentialDeviceType === 'multiDevice',
  }
}

/** The new counter; undefined when the answer is not this passkey's to this challenge, or its counter went back. */
export async function readAnswer(
  credential: Credential,
  challenge: string,
  { credential_id: id, public_key, counter }: Passkey,
): Promise<number | undefined> {
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty()
  const response = credential as unknown as AuthenticationResponseJSON // it checks every member before using it
  const answer = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: true,
    credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')), counter },
  }).catch(() => undefined)
  return answer?.verified ? answer.authenticationInfo.newCounter : undefined
}
