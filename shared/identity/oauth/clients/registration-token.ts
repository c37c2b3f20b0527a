// Initial access tokens (RFC 7591). The holder may register one client in the token's tenant, as long as the token's maker
// may manage clients.
import * as z from 'zod'
import { newSecret } from '../../access/one-time.ts'
import type { Permission } from '../../../base/catalog/permissions.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Table } from '../../../base/table/table.ts'
import { grantNow, makerOf, personBehind } from '../../access/permissions.ts'
import { OAuthClient } from './client.ts'
import { capOf } from './client-rules.ts'
import type { Artefact } from '../../artefacts/artefact.ts'
import { find, put, unusedOf } from '../../artefacts/store.ts'

export const INITIAL = 'InitialAccessToken'
/** The name of the policy that the library applies to every registration with such a token. */
export const POLICY = 'tenant'

/** The owner of the future client, and its cap. */
const InitialAccess = OAuthClient.pick({ tenant_id: true, created_by: true, seen_by: true, cap: true }).extend({
  jti: z.string(),
})
export type InitialAccess = z.output<typeof InitialAccess>

export type RegistrationToken = { id: string; token: string; expires_at: string }

/**
 * Makes a token and returns it in clear; it is never shown again. A client that registers with it gets no more than the caller has
 * now. `expires_in`: seconds.
 */
export async function createRegistrationToken(ctx: Context, expires_in: number): Promise<RegistrationToken> {
  const token = newSecret(ctx.random)
  const iat = Math.floor(ctx.now() / 1_000)
  const exp = iat + expires_in
  const cap: Permission[] = capOf(ctx.principal.permissions)
  const { tenant_id } = ctx.space
  const created_by = personBehind(ctx.principal)
  const seen_by = ctx.principal.persons
  const payload = { kind: INITIAL, iat, exp, policies: [POLICY], tenant_id, created_by, seen_by, cap }
  const id = ctx.id('ort')
  const facts = { tenant_id, account_id: created_by, public_id: id }
  await ctx.table.commit(
    [
      put(ctx.table, { model: INITIAL, id: token, payload, exp, facts }),
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

/** Tokens of a person that can still register a client. */
export const registrationTokensOf = (ctx: Context, user_id: string): Promise<Artefact[]> =>
  unusedOf(ctx, user_id, INITIAL)

/** The payload of a token that can still be used; otherwise undefined. */
export async function initialAccess(table: Table, token: string): Promise<InitialAccess | undefined> {
  const payload = await find(table, INITIAL, token)
  if (!payload || payload.consumed !== undefined) return undefined
  const access = InitialAccess.parse(payload)
  return (await mayManageClients(table, { ...access, service: false })) ? access : undefined
}

/**
 * Whether the maker of a client or of a registration token may manage clients now. If not, neither may be used for it. No layer
 * of a request sees these two, so whether the maker's address is verified is checked here.
 */
export async function mayManageClients(
  table: Table,
  of: Pick<OAuthClient, 'tenant_id' | 'created_by' | 'cap' | 'service'>,
): Promise<boolean> {
  const maker = await makerOf(table, of)
  return maker?.user.email_verified !== false && grantNow(of, maker)?.has('oauth_clients:write') === true
}
