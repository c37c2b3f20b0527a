// Registers an OAuth client through the API, and the rules about who may give a client which power.
import { agentWrites } from '../../access/agent.ts'
import { administers, mustBeAllowedToGive } from '../../access/roles.ts'
import { mailToOwners } from '../../access/outrank.ts'
import { newSecret } from '../../access/one-time.ts'
import { permissionsOfScopes } from '../../../base/catalog/permissions.ts'
import { mustActInPerson, mustBeSignedIn } from '../../access/assurance.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context, Mode, Principal } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { conflict, Failure, forbidden } from '../../../base/lib/failure.ts'
import type { EventDraft } from '../../../ledger/events/event.ts'
import type { Mail } from '../../../ledger/events/mail.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { personBehind } from '../../access/permissions.ts'
import { CLIENTS_MAX, clientsPartition, type OAuthClient, oauthClients } from './client.ts'
import { sealLogoutUri, sealSecret } from './sealed.ts'
import { capOf, type Problem, problemsOf, scopeBeyond } from './client-rules.ts'
import { type Preset, PRESET_URIS } from './client-fields.ts'
import { apiScopesOf } from '../scopes.ts'

export type NewClient = Pick<
  OAuthClient,
  | 'name'
  | 'type'
  | 'redirect_uris'
  | 'post_logout_redirect_uris'
  | 'backchannel_logout_uri'
  | 'backchannel_logout_session_required'
  | 'grant_types'
  | 'scopes'
  | 'skip_consent'
  | 'service'
> & {
  mode: Mode
  token_endpoint_auth_method?: OAuthClient['token_endpoint_auth_method'] | undefined
  jwks?: OAuthClient['jwks']
  agent_id?: string | undefined
  preset?: Preset | undefined
}

/** `secret` is in clear and is never shown again. It is absent for clients that authenticate without one. */
export type Created = { client: Stored<OAuthClient>; secret?: string }

/**
 * Registers a client and returns its secret, which is stored only sealed. Throws 422 with every broken rule; 403 for a scope of which
 * the caller holds no permission, and unless an owner or administrator makes a client that belongs to the tenant or skips consent, the
 * latter in person; 409 when the tenant has as many as it may have. Maker, cap and who has seen the secret come from the caller's
 * credential. A repetition registers another client.
 */
export async function createClient(ctx: Context, input: NewClient): Promise<Created> {
  const client = newClient(ctx, input)
  mustBeSound(client)
  client.sealed_logout_uri = await sealLogoutUri(client)
  mustBeAllowedToGrant(ctx, client.scopes)
  if (client.service) mustAdminister(ctx.principal)
  if (client.skip_consent) await mustAnswerForConsent(ctx)
  const [agent] = await Promise.all([agentWrites(ctx, client.agent_id, client.name), mustHaveCapacity(ctx)])
  const secret = needsSecret(client) ? newSecret(ctx.random) : undefined
  if (secret !== undefined) client.sealed_secret = await sealSecret(client, secret)
  const evidence = clientCreated(ctx, client, agent.events)
  await ctx.table.commit([oauthClients.insert(client), ...agent.writes, ...evidence], client.client_id)
  return { client: { ...client, _v: 1 }, ...(secret !== undefined && { secret }) }
}

function newClient(ctx: Context, { token_endpoint_auth_method, preset = 'custom', ...input }: NewClient): OAuthClient {
  const at = iso(ctx.now())
  return {
    ...input,
    redirect_uris: [...new Set([...input.redirect_uris, ...PRESET_URIS[preset].redirect_uris])],
    client_id: ctx.id('cli'),
    tenant_id: ctx.space.tenant_id,
    token_endpoint_auth_method:
      token_endpoint_auth_method ?? (input.type === 'public' ? 'none' : 'client_secret_basic'),
    status: 'active',
    source: 'api',
    cap: capOf(ctx.principal.permissions),
    created_by: personBehind(ctx.principal),
    seen_by: [...ctx.principal.persons],
    created_at: at,
    updated_at: at,
  }
}

export const needsSecret = ({ token_endpoint_auth_method: method }: OAuthClient): boolean =>
  method === 'client_secret_basic' || method === 'client_secret_post'

/** Throws 403 unless the caller is an owner or admin: a client of the tenant stays when its maker is removed. */
export function mustAdminister(principal: Pick<Principal, 'roles'>): void {
  if (administers(principal)) return
  throw forbidden('You cannot create or change a client of the tenant (`service`). Ask an owner or admin.')
}

/** Throws 422 with every broken rule. */
export function mustBeSound(client: OAuthClient): void {
  const problems = problemsOf(client)
  if (problems.length === 0) return
  const violation = ({ at, message }: Problem) => ({ loc: ['body', ...at], msg: message, type: 'value_error' as const })
  throw new Failure('invalid', problems.map(violation))
}

/** Throws 403 for a scope of which the caller holds no permission. */
export function mustBeAllowedToGrant({ principal }: Context, scopes: OAuthClient['scopes']): void {
  const beyond = scopeBeyond(scopes, principal.permissions)
  if (beyond)
    throw forbidden(
      `You hold no permission of the scope ${beyond}, so you cannot give it. Leave it out, or ask somebody who holds it.`,
    )
}

/**
 * Throws 403 unless the caller is an owner or admin, in person: without consent, the redirect URI decides who can act for a
 * person.
 */
export async function mustAnswerForConsent(ctx: Context): Promise<void> {
  mustBeSignedIn(ctx)
  if (!administers(ctx.principal)) {
    throw forbidden(
      'You cannot skip consent, or change the redirect URIs and scopes of a client that skips it. Ask an owner or admin.',
    )
  }
  await mustActInPerson(ctx)
}

/** Throws 403 when these scopes let the client do more without consent than the caller can. */
export function mustMatch(
  { principal }: Context,
  { grant_types, skip_consent, cap }: OAuthClient,
  scopes: readonly string[],
): void {
  if (!grant_types.includes('client_credentials') && !skip_consent) return
  mustBeAllowedToGive(principal, permissionsOfScopes(apiScopesOf(scopes.join(' '))).intersection(new Set(cap)))
}

/** Whether the tenant has as many clients as it may have. Concurrent requests may exceed the limit by a few. */
export const isFull = async ({ table, space }: Context): Promise<boolean> =>
  (await table.count({ pk: clientsPartition(space.tenant_id), index: 'gsi1' })).total >= CLIENTS_MAX

async function mustHaveCapacity(ctx: Context): Promise<void> {
  if (await isFull(ctx)) throw conflict(`Your tenant has ${CLIENTS_MAX} OAuth clients already. Delete one first.`)
}

/** Evidence of a new client, through the API or through registration (RFC 7591). */
export function clientCreated(ctx: Context, client: OAuthClient, events: readonly EventDraft[] = []): Write[] {
  const { client_id, name, type, mode, scopes, grant_types, source, service } = client
  const facts = { type, mode, scopes, grant_types, source, service }
  return changed(
    ctx,
    [
      {
        action: 'oauth_client.created',
        artifact: 'identity.oauth_client.created',
        subject: { type: 'oauth_client', id: client_id, name },
        data: facts,
        changes: Object.entries(facts).map(([path, after]) => ({ path, after })),
        events,
      },
    ],
    { mails: client.skip_consent ? [mailAboutReach(ctx)] : [] },
  )
}

export const mailAboutReach = (ctx: Context): Mail =>
  mailToOwners(ctx, 'to whom an OAuth client gives access in the name of people')
