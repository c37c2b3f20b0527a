// A session is one sign-in of one person. Its item is read on every request, so it stays below 1 KB. The pool's refresh token
// is stored sealed in an item of its own. The refresh token that clients hold is the service's and not the pool's.
import * as z from 'zod'
import { Bytes } from '../../ledger/evidence/artifact/artifact.ts'
import { iso } from '../../base/lib/clock.ts'
import { bound } from '../../base/table/bound.ts'
import { entity, key } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { hashOf } from '../access/one-time.ts'

/** All instants are in ms. */
export const Session = z.object({
  /** The pool's `origin_jti` (a UUID): every token of the sign-in carries it. */
  sid: z.string(),
  user_id: z.string(),
  tenant_id: z.string(),
  created_at: z.int(),
  last_seen: z.int(),
  /** When the person ended all their other sessions from this one. */
  kept_at: z.int().optional(),
  /** End of its life, and of its present refresh token. */
  abs_exp: z.int(),
  refresh_exp: z.int(),
  ip: z.string(),
  country: z.string().nullable(),
  user_agent: z.string(),
  /** RFC 8176. */
  amr: z.array(z.string()),
  /** When a factor of the account was last shown here. */
  mfa_at: z.int().optional(),
  /** The identity provider verified a second factor when the session began. */
  idp_mfa: z.boolean().optional(),
  /** How many refresh tokens it has had. */
  generation: z.int(),
  /** Hashes of the present refresh token and of the one before; the beginnings of older ones. */
  rt: z.string(),
  prev_rt: z.string().optional(),
  rotated_at: z.int(),
  older: z.array(z.string()),
  state: z.enum(['active', 'enrol_only', 'revoked']),
  revoked_why: z.string().optional(),
  /** Finds the session when the identity provider signs the person out. */
  slo_key: z.string().optional(),
})
export type Session = z.output<typeof Session>

/** Characters kept of a user agent. */
export const USER_AGENT_MAX = 100

export const sessionsPartition = (tenantId: string, userId: string): string =>
  key('T', tenantId, 'live', 'USERSESSIONS', userId)

export const sessions = bound({
  name: 'SESSION',
  schema: Session,
  key: ({ sid }: { sid: string }) => ({ pk: key('SESSION', sid), sk: 'SESSION' }),
  index: (item) => ({
    gsi1pk: sessionsPartition(item.tenant_id, item.user_id),
    gsi1sk: iso(item.created_at),
  }),
  ttl: ({ abs_exp }) => Math.ceil(abs_exp / 1_000),
  free: ['last_seen', 'kept_at', 'state', 'revoked_why'],
})

export const PoolToken = z.object({
  sid: z.string(),
  tenant_id: z.string(),
  sealed: Bytes,
  /** ms, as of the session. */
  abs_exp: z.int(),
})
export type PoolToken = z.output<typeof PoolToken>

/** The pool's refresh token of a session. Without it the session ends with its access token. */
export const poolTokens = entity({
  name: 'POOLTOKEN',
  unbound: 'proven by itself',
  schema: PoolToken,
  key: ({ sid }: { sid: string }) => ({ pk: key('SESSION', sid), sk: 'COGNITO' }),
  ttl: ({ abs_exp }) => Math.ceil(abs_exp / 1_000),
})

/**
 * The sessions of a person that are neither revoked nor expired, oldest first. One that began within the last second may be
 * missing.
 */
export async function sessionsOf(table: Table, tenant_id: string, user_id: string): Promise<Session[]> {
  const all = await table.query(sessions, { index: 'gsi1', pk: sessionsPartition(tenant_id, user_id) })
  return all.filter(({ state, abs_exp }) => state !== 'revoked' && abs_exp > table.clock.now())
}

export const SessionView = z.object({
  id: z.string().describe('The id, which never changes.'),
  created_at: z.string().describe('When it was created.'),
  last_seen: z.string().describe('When the session was last used.'),
  ip: z.string().describe('Source address of the request.'),
  country: z.string().nullable().describe('Country of the address (ISO 3166-1 alpha-2), where it is known.'),
  user_agent: z.string().describe('The User-Agent header of the request.'),
  amr: z.array(z.string()).describe('How the person signed in (RFC 8176).'),
  /** The one that this request belongs to. */
  current: z.boolean().describe('Whether this is the session of the request.'),
})

export const sessionView = (session: Session, current_id: string | undefined): z.input<typeof SessionView> => ({
  ...session,
  id: session.sid,
  created_at: iso(session.created_at),
  last_seen: iso(session.last_seen),
  current: session.sid === current_id,
})

const FORMAT = /^rt_([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/

/** The refresh token that a client holds. It names its session; only a hash of its secret is stored. */
export const refreshToken = (sid: string, secret: string): string => `rt_${sid}.${secret}`

/** The session that it names and the hash of its secret; undefined for text that is not a refresh token. */
export function readRefreshToken(text: string): { sid: string; hash: string } | undefined {
  const [, sid, secret] = FORMAT.exec(text) ?? []
  return sid && secret ? { sid, hash: hashOf(secret) } : undefined
}
