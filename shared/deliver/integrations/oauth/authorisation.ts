// People who were sent to a provider and may come back: bound to the tenant, the mode, the connector and whoever began it.
// It lasts ten minutes and is used once.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { malformed } from '../../../base/lib/failure.ts'
import { entity, key, type Write } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { hashOf, newSecret } from '../../../identity/access/one-time.ts'

export const LIFE_MS = 600_000

const Authorisation = z.object({
  ...spaceMembers,
  state_hash: z.string(),
  connector_id: z.string(),
  principal: z.string(),
  persons: z.array(z.string()),
  /** `direct`: this service redeems the code. `nango`: Nango does. `sandbox`: nobody is asked. */
  by: z.enum(['direct', 'nango', 'sandbox']),
  redirect_uri: z.string(),
  scopes: z.array(z.string()),
  params: z.record(z.string(), z.string()),
  /** RFC 7636. */
  verifier: z.string().optional(),
  /** The only code that completes a sandbox's. */
  code_hash: z.string().optional(),
  expires_at: z.int(),
})
export type Authorisation = z.output<typeof Authorisation>

const keyOf = ({ state_hash }: { state_hash: string }) => ({ pk: key('OAUTHSTATE', state_hash), sk: 'STATE' })

export const authorisations = entity({
  name: 'OAUTHSTATE',
  schema: Authorisation,
  key: keyOf,
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

const principalOf = ({ principal }: Context): string => `${principal.kind}:${principal.id}`

type New = Omit<Authorisation, 'tenant_id' | 'mode' | 'state_hash' | 'principal' | 'persons' | 'expires_at'>

export function newAuthorisation(ctx: Context, of: New) {
  const state = newSecret(ctx.random)
  const authorisation: Authorisation = {
    ...ctx.space,
    ...of,
    state_hash: hashOf(state),
    principal: principalOf(ctx),
    persons: [...ctx.principal.persons],
    expires_at: ctx.now() + LIFE_MS,
  }
  return { state, authorisation }
}

/** One text for all, so that nobody learns whether a state was ever valid. */
const notOpen = () =>
  malformed('This authorisation is not open: it was used, has expired, or somebody else began it. Start again.', {
    code: 'invalid_state',
  })

/** Throws 400. Does not use it up. */
export async function findAuthorisation(ctx: Context, connector_id: string, state: string): Promise<Authorisation> {
  const found = await ctx.table.get(authorisations, { state_hash: hashOf(state) })
  const isTheirs =
    found?.tenant_id === ctx.space.tenant_id && found.mode === ctx.space.mode && found.principal === principalOf(ctx)
  if (!isTheirs || found.connector_id !== connector_id || found.expires_at <= ctx.now()) throw notOpen()
  return found
}

/** Of several concurrent completions one succeeds. */
export const takeAuthorisation = ({ state_hash }: Authorisation): Write =>
  authorisations.remove({ state_hash }, { expression: 'attribute_exists(pk)' }, notOpen())
