// People who were sent to a provider and may come back: bound to the tenant, the mode, the connector and the person who began it.
// It lasts ten minutes and is used once. All that it says is sealed: rewriting its row sends neither the code nor the secret
// of the client elsewhere, and names nobody else as the one who began it.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { malformed } from '../../../base/lib/failure.ts'
import { entity, key, type Write } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { hashOf, newSecret } from '../../../identity/access/one-time.ts'
import { textSeal } from '../../../ledger/sealing/seal.ts'
import { bindingOf } from '../credential.ts'
import type { KnownConnector } from '../known-connector.ts'

export const LIFE_MS = 600_000

const Authorisation = z.object({
  connector_id: z.string(),
  /** What the connector said when it began: a connector that was changed meanwhile completes nothing. */
  bound_to: z.string(),
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
/** `state_hash`: of the row that holds it. */
export type Authorisation = z.output<typeof Authorisation> & { state_hash: string }

const Row = z.object({ ...spaceMembers, state_hash: z.string(), sealed: z.string(), expires_at: z.int() })

const keyOf = ({ state_hash }: { state_hash: string }) => ({ pk: key('OAUTHSTATE', state_hash), sk: 'STATE' })

export const authorisations = entity({
  name: 'OAUTHSTATE',
  unbound: 'proven by itself',
  schema: Row,
  key: keyOf,
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

const principalOf = ({ principal }: Context): string => `${principal.kind}:${principal.id}`

const seal = textSeal('sealed')

type New = Omit<Authorisation, 'connector_id' | 'bound_to' | 'state_hash' | 'principal' | 'persons' | 'expires_at'>

export function newAuthorisation(ctx: Context, connector: KnownConnector, of: New) {
  const state = `${connector.id}.${newSecret(ctx.random)}` // the page that people come back to shows for which connector
  const authorisation: Authorisation = {
    ...of,
    connector_id: connector.id,
    bound_to: bindingOf(connector),
    state_hash: hashOf(state),
    principal: principalOf(ctx),
    persons: [...ctx.principal.persons],
    expires_at: ctx.now() + LIFE_MS,
  }
  return { state, authorisation }
}

export async function insertAuthorisation({ space }: Context, { state_hash, ...said }: Authorisation): Promise<Write> {
  const sealed = await seal.seal(space, keyOf({ state_hash }), JSON.stringify(said))
  return authorisations.insert({ ...space, state_hash, sealed, expires_at: said.expires_at })
}

/** Undefined when it has expired, or was begun for something else than this connector as it is. */
export async function openAuthorisation(
  ctx: Context,
  connector: KnownConnector,
  { state_hash, sealed }: z.output<typeof Row>,
): Promise<Authorisation | undefined> {
  const said = Authorisation.parse(JSON.parse(await seal.open(ctx.space, keyOf({ state_hash }), sealed)))
  const isFor = said.connector_id === connector.id && said.bound_to === bindingOf(connector)
  return isFor && said.expires_at > ctx.now() ? { ...said, state_hash } : undefined
}

/** One text for all, so that nobody learns whether a state was ever valid. */
const notOpen = () =>
  malformed('This authorisation is not open: it was used, has expired, or somebody else began it. Start again.', {
    code: 'invalid_state',
  })

/** Throws 400. Does not use it up. */
export async function findAuthorisation(
  ctx: Context,
  connector: KnownConnector,
  state: string,
): Promise<Authorisation> {
  const row = await ctx.table.get(authorisations, { state_hash: hashOf(state) })
  const isOurs = row?.tenant_id === ctx.space.tenant_id && row.mode === ctx.space.mode
  const found = isOurs ? await openAuthorisation(ctx, connector, row) : undefined
  if (found?.principal !== principalOf(ctx)) throw notOpen()
  return found
}

/** Of several concurrent completions one succeeds. */
export const takeAuthorisation = ({ state_hash }: Pick<Authorisation, 'state_hash'>): Write =>
  authorisations.remove({ state_hash }, { expression: 'attribute_exists(pk)' }, notOpen())
