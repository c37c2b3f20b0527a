import * as z from 'zod'
import { allRoles } from '../accounts/all-roles.ts'
import type { User } from '../accounts/user.ts'
import { refreshToken } from './refresh-token.ts'
import type { Session } from './session.ts'

export const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Seconds, of each. */
  expires_in: z.int(),
  refresh_expires_in: z.int(),
  user: z.object({
    id: z.string(),
    email: z.string().nullable(),
    name: z.string(),
    roles: z.array(z.string()),
    tenant_id: z.string(),
  }),
  /** The session may enrol a second factor and nothing else until it has. */
  mfa_enrollment_required: z.literal(true).optional(),
})
export type Tokens = z.output<typeof Tokens>

export const MfaRequired = z.object({
  mfa_required: z.literal(true),
  mfa_token: z.string(),
  methods: z.array(z.string()),
  /** Seconds. */
  expires_in: z.int(),
  /** What a browser needs to ask for a security key or passkey. */
  webauthn: z.object({ challenge_id: z.string(), options: z.record(z.string(), z.unknown()) }).optional(),
})
export type MfaRequired = z.output<typeof MfaRequired>

/** The response to a correct password, or to an answer of an identity provider. */
export const SignInView = z.union([MfaRequired, Tokens])
export type SignInView = z.output<typeof SignInView>

/** An access token of the pool and the secret of our refresh token. */
type Fresh = { access_token: string; expires_in: number; secret: string }

export function tokensView(user: User, session: Session, { secret, ...access }: Fresh): Tokens {
  const { id, email, name, tenant_id } = user
  return {
    access_token: access.access_token,
    refresh_token: refreshToken(session.sid, secret),
    token_type: 'Bearer',
    expires_in: access.expires_in,
    refresh_expires_in: Math.floor((session.refresh_exp - session.rotated_at) / 1_000),
    user: { id, email, name, roles: allRoles(user), tenant_id },
    ...(session.state === 'enrol_only' && { mfa_enrollment_required: true as const }),
  }
}
