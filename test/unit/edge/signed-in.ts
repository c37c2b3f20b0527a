// A person who is signed in to the deployment of `deployment.ts`: account and session as their verbs would have left them.
import type { Session } from '../../../shared/identity/sessions/session.ts'
import { NEW_USER, type User } from '../../../shared/identity/accounts/user.ts'
import { SID, SUB } from '../../support/token-issuer.ts'

export const TENANT = 'ten_1'

export function account(over: Partial<User> = {}): User {
  const at = '2026-11-01T00:00:00.000Z'
  const fixed = { id: SUB, tenant_id: TENANT, username: '01JD3Q8Z5N7V2W9X4Y6T1S0RPM', email: 'anna@example.com' }
  return {
    ...NEW_USER,
    ...fixed,
    email_verified: true,
    name: 'Anna',
    roles: ['owner'],
    status: 'active',
    source: 'register',
    created_at: at,
    updated_at: at,
    ...over,
  }
}

/** Begun at the given instant (ms). */
export function session(time: number, over: Partial<Session> = {}): Session {
  return {
    sid: SID,
    user_id: SUB,
    tenant_id: TENANT,
    created_at: time,
    last_seen: time,
    abs_exp: time + 7 * 86_400_000,
    refresh_exp: time + 7 * 86_400_000,
    ip: '203.0.113.9',
    country: null,
    user_agent: 'test',
    amr: ['pwd'],
    generation: 1,
    rt: 'x'.repeat(43),
    rotated_at: time,
    older: [],
    state: 'active',
    ...over,
  }
}
