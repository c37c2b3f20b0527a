// Whether a session is alive, and what a presented refresh token means. Pure; instants in ms.
import { sameBytes } from '../../base/lib/json.ts'
import type { SessionPolicy } from '../../base/tenant/tenant.ts'
import type { Session } from './session.ts'

/** Within this time after a rotation, the former token means a repeated request, not a theft. */
export const RACE_MS = 10_000
export const LAST_SEEN_STEP_MS = 60_000

const OLDER_MAX = 10
/** Characters kept of older hashes: 72 bits do not collide by chance. */
const OLDER_LENGTH = 12

export type Circumstances = {
  policy: SessionPolicy
  /** Of the account: sessions that began before are ended. */
  tokens_valid_after: string | null
  now: number
}

/** A tightened policy also applies to sessions that began before. A loosened one does not extend them. */
export function isAlive(session: Session, { policy, tokens_valid_after, now }: Circumstances): boolean {
  if (session.state === 'revoked') return false
  if (tokens_valid_after !== null && (session.kept_at ?? session.created_at) < Date.parse(tokens_valid_after))
    return false
  if (now >= Math.min(session.abs_exp, session.created_at + policy.lifetime_s * 1_000)) return false
  return policy.idle_s === 0 || now < session.last_seen + policy.idle_s * 1_000
}

export const mayRefresh = (session: Session, { policy, now }: Circumstances): boolean =>
  now < Math.min(session.refresh_exp, session.rotated_at + policy.refresh_ttl_s * 1_000)

/** Whether `last_seen` is due. Decided from the item just read, because a refused write costs as much as a successful one. */
export const isToBeNoted = (session: Session, now: number): boolean => now >= session.last_seen + LAST_SEEN_STEP_MS

/**
 * `raced`: another request has just rotated it. `reused`: rotated longer ago, so two parties hold it. `unknown`: never a
 * token of this session, which stays as it is.
 */
export type Presented = 'current' | 'raced' | 'reused' | 'unknown'

export function judge(session: Session, hash: string, now: number): Presented {
  if (same(session.rt, hash)) return 'current'
  if (session.prev_rt !== undefined && same(session.prev_rt, hash)) {
    return now < session.rotated_at + RACE_MS ? 'raced' : 'reused'
  }
  return session.older.some((old) => same(old, shortened(hash))) ? 'reused' : 'unknown'
}

const same = (a: string, b: string) => sameBytes(Buffer.from(a), Buffer.from(b))
const shortened = (hash: string) => hash.slice(0, OLDER_LENGTH)

/** What a rotation changes. The refresh token never outlives its session. */
export function rotation(session: Session, hash: string, { policy, now }: Circumstances) {
  const { prev_rt, older, generation, rt, abs_exp } = session
  return {
    rt: hash,
    prev_rt: rt,
    rotated_at: now,
    last_seen: now,
    refresh_exp: Math.min(now + policy.refresh_ttl_s * 1_000, abs_exp),
    generation: generation + 1,
    older: [...(prev_rt === undefined ? [] : [shortened(prev_rt)]), ...older].slice(0, OLDER_MAX),
  }
}
