// Initial access tokens (RFC 7591): whoever holds one may register one client, in the tenant that the token was made for.
import * as z from 'zod'
import { newSecret } from '../access/one-time.ts'
import type { Permission } from '../access/permissions.ts'
import { changed } from '../audit/changed.ts'
import type { Context } from '../context.ts'
import { iso } from '../lib/clock.ts'
import type { Table } from '../table/table.ts'
import { OAuthClient } from './client.ts'
import { capOf } from './client-rules.ts'
import { find, put } from './store.ts'

export const INITIAL = 'InitialAccessToken'
/** Our rules for registrations, which the library applies to every one made with such a token. */
export const POLICY = 'tenant'

/** Whose client it will be, and what that client can do at most. */
const InitialAccess = OAuthClient.pick({ tenant_id: true, created_by: true, cap: true }).extend({ jti: z.string() })
export type InitialAccess = z.output<typeof InitialAccess>

export type RegistrationToken = { id: string; token: string; expires_at: string }

/** `expires_in`: seconds. The token in clear, here and never again. */
export async function createRegistrationToken(ctx: Context, expires_in: number): Promise<RegistrationToken> {
  const token = newSecret(ctx.random)
  const iat = Math.floor(ctx.now() / 1_000)
  const exp = iat + expires_in
  const cap: Permission[] = capOf(ctx.principal.permissions)
  const { tenant_id } = ctx.space
  const payload = { kind: INITIAL, iat, exp, policies: [POLICY], tenant_id, created_by: ctx.principal.id, cap }
  const id = ctx.id('ort')
  await ctx.table.commit(
    [
      put(ctx.table, { model: INITIAL, id: token, payload, exp, facts: { tenant_id } }),
      ...changed(ctx, [
        {
          action: 'registration_token.created',
          artifact: 'identity.registration_token.created',
          subject: { type: 'registration_token', id },
          data: { expires_at: iso(exp * 1_000), uses: 1 },
        },
      ]),
    ],
    id,
  )
  return { id, token, expires_at: iso(exp * 1_000) }
}

/** What a token that can still be used stands for. */
export async function initialAccess(table: Table, token: string): Promise<InitialAccess | undefined> {
  const payload = await find(table, INITIAL, token)
  return payload && payload.consumed === undefined ? InitialAccess.parse(payload) : undefined
}
