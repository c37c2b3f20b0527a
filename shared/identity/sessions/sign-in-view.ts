// The answers to a sign-in: tokens, or what a second factor needs.
import * as z from 'zod'
import { allRoles, shownAddress, type User } from '../accounts/user.ts'
import { refreshToken, type Session } from './session.ts'

export const Tokens = z.object({
  access_token: z.string().describe('A JWT. Send it as `Authorization: Bearer`.'),
  refresh_token: z.string().describe('A token to get new tokens. It works once.'),
  token_type: z.literal('Bearer').describe('How to send the token.'),
  /** Seconds, of each. */
  expires_in: z.int().describe('Seconds until it expires.'),
  refresh_expires_in: z.int().describe('Seconds until the refresh token expires.'),
  user: z
    .object({
      id: z.string().describe('Id of the person.'),
      email: z.string().nullable().describe('The e-mail address.'),
      name: z.string().describe('A name for people.'),
      roles: z.array(z.string()).describe('Roles, by name.'),
      tenant_id: z.string().describe('Id of the tenant.'),
    })
    .describe('The person.'),
  /** The session may enrol a second factor and nothing else until it has. */
  mfa_enrollment_required: z
    .literal(true)
    .optional()
    .describe('Whether the session may only be used to enrol a second factor.'),
})
export type Tokens = z.output<typeof Tokens>

export const MfaRequired = z.object({
  mfa_required: z.literal(true).describe('Whether the sign-in needs a second factor before there are tokens.'),
  mfa_token: z.string().describe('The token that continues the sign-in in the second step.'),
  methods: z.array(z.string()).describe('The kinds of second factors that are accepted.'),
  expires_in: z.int().describe('Seconds until it expires.'),
  /** What a browser needs to ask for a security key or passkey. */
  webauthn: z
    .object({
      challenge_id: z.string().describe('Id of the challenge that is answered.'),
      options: z.record(z.string(), z.unknown()).describe('The argument for `navigator.credentials` (WebAuthn).'),
    })
    .optional()
    .describe('The options for using a passkey.'),
})
export type MfaRequired = z.output<typeof MfaRequired>

/** The response to a correct password, or to an answer of an identity provider. */
export const SignInView = z.union([MfaRequired, Tokens])
export type SignInView = z.output<typeof SignInView>

/** An access token of the pool and the secret of our refresh token. */
type Fresh = { access_token: string; expires_in: number; secret: string }

export function tokensView(user: User, session: Session, { secret, ...access }: Fresh): Tokens {
  const { id, name, tenant_id } = user
  return {
    access_token: access.access_token,
    refresh_token: refreshToken(session.sid, secret),
    token_type: 'Bearer',
    expires_in: access.expires_in,
    refresh_expires_in: Math.floor((session.refresh_exp - session.rotated_at) / 1_000),
    user: { id, email: shownAddress(user), name, roles: allRoles(user), tenant_id },
    ...(session.state === 'enrol_only' && { mfa_enrollment_required: true as const }),
  }
}
