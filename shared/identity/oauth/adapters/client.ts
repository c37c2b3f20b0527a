// The library's storage of clients: reads all clients, and writes those that register themselves (RFC 7591, RFC 7592). Such a client
// always belongs to the tenant of its registration token and always asks people for consent; what it sends about both is ignored.
import { type Adapter, errors, type Payload, Provider, type RequestContext } from 'oidc-provider'
import { type Context, openTable } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { grantNow, makerOf } from '../../access/permissions.ts'
import { endConsents } from '../../artefacts/end-grant.ts'
import { ArtefactAdapter } from './adapter.ts'
import { clientUpdated } from '../clients/change-client.ts'
import { CLIENTS_MAX, findClient, forgetClient, type OAuthClient, oauthClients } from '../clients/client.ts'
import { openSecret, refusalOfLogoutUri, sealLogoutUri, sealSecret } from '../clients/sealed.ts'
import { metadataOf, registeredFields } from '../clients/client-metadata.ts'
import { problemsOf } from '../clients/client-rules.ts'
import { clientCreated, isFull } from '../clients/create-client.ts'
import { clientDeleted } from '../clients/delete-client.ts'
import { INITIAL, type InitialAccess, initialAccess, mayManageClients } from '../clients/registration-token.ts'
import { asClient, contextIn, namedResource } from '../current-request.ts'
import { use } from '../../artefacts/store.ts'
import { documentMetadata } from '../clients/document-client.ts'
import { isDocumentUrl } from '../../artefacts/artefact.ts'
import { isDisplayName } from '../../../base/lib/names.ts'
import { applicationType, clientRedirectUriProblem } from '../../../base/lib/redirect-uri.ts'
import { OAUTH_SCOPES } from '../scopes.ts'

export class ClientAdapter extends ArtefactAdapter implements Adapter {
  constructor() {
    super('Client')
  }

  /** Undefined when the client, its tenant or its maker is not active: then it can neither get nor refresh tokens. */
  override async find(client_id: string): Promise<Payload | undefined> {
    if (isDocumentUrl(client_id)) return documentMetadata(client_id, namedResource())
    const table = openTable()
    const client = await findClient(table, client_id)
    if (!client || client.status !== 'active' || client.document !== undefined) return undefined
    const reads = [openSecret(client), tenantOf(table, client.tenant_id), makerOf(table, client)] as const
    const [secret, tenant, maker] = await Promise.all(reads)
    return tenant.status === 'active' && grantNow(client, maker) ? metadataOf(client, secret) : undefined
  }

  override async upsert(client_id: string, metadata: Payload): Promise<void> {
    const was = await findClient(openTable(), client_id)
    if (!was) return register(client_id, metadata)
    const ctx = contextIn(was.tenant_id, asClient(client_id))
    const next = await withSecret({ ...was, ...registeredFields(metadata), updated_at: iso(ctx.now()) }, metadata)
    await ctx.table.commit([oauthClients.replace(next, was), ...clientUpdated(ctx, was, next)])
    forgetClient(client_id)
  }

  override async destroy(client_id: string): Promise<void> {
    const was = await findClient(openTable(), client_id)
    if (!was) return
    const ctx = contextIn(was.tenant_id, asClient(client_id))
    await ctx.table.commit(clientDeleted(ctx, was))
    forgetClient(client_id)
    await endConsents(ctx, client_id)
  }
}

/** The token is used up in the transaction that stores the client, so of several concurrent registrations one succeeds. */
async function register(client_id: string, metadata: Payload): Promise<void> {
  const token = Provider.ctx?.oidc.entities.InitialAccessToken?.jti
  const access = token === undefined ? undefined : await initialAccess(openTable(), token)
  if (!access) throw new errors.InvalidToken()
  const ctx = contextIn(access.tenant_id, asClient(client_id))
  if (await isFull(ctx))
    throw new errors.InvalidClientMetadata(`The tenant has ${CLIENTS_MAX} clients already. Ask it to delete one first.`)
  const client = await withSecret(newClient(ctx, client_id, access, metadata), metadata)
  try {
    await ctx.table.commit([
      use(ctx.table, INITIAL, access.jti),
      oauthClients.insert(client),
      ...clientCreated(ctx, client),
    ])
  } catch (error) {
    throw error instanceof ConditionFailed ? new errors.InvalidToken() : error
  }
}

function newClient(ctx: Context, client_id: string, access: InitialAccess, metadata: Payload): OAuthClient {
  const { jti: _, ...owner } = access
  const at = iso(ctx.now())
  return {
    ...registeredFields(metadata),
    ...owner,
    service: false,
    client_id,
    mode: 'live',
    skip_consent: false,
    status: 'active',
    source: 'registration',
    created_at: at,
    updated_at: at,
  }
}

/** Applies the rules of the API, because the library would let a client without a secret use client credentials. */
async function withSecret(client: OAuthClient, { client_secret: secret }: Payload): Promise<OAuthClient> {
  const [problem] = problemsOf(client)
  if (problem) throw new errors.InvalidClientMetadata(`${problem.at.join('.')}: ${problem.message}`)
  const refusal = await refusalOfLogoutUri(client)
  if (refusal !== undefined) throw new errors.InvalidClientMetadata(`backchannel_logout_uri: ${refusal}`)
  return {
    ...client,
    sealed_secret: typeof secret === 'string' ? await sealSecret(client, secret) : undefined,
    sealed_logout_uri: await sealLogoutUri(client),
  }
}

/** The server makes no outbound calls, so a client must send its keys themselves. */
const REMOTE = ['jwks_uri', 'sector_identifier_uri'] as const

/** Completes the metadata of a registration or of its update, and refuses what this server does not support. */
export async function tenantPolicy(ctx: RequestContext, metadata: Payload): Promise<void> {
  for (const name of REMOTE) {
    if (metadata[name] !== undefined) throw new errors.InvalidClientMetadata(`${name} is not supported. Leave it out.`)
  }
  const { client_name: name } = metadata
  // A name that is too long or holds half a character is mended later.
  if (typeof name === 'string' && name !== '' && !isDisplayName(name.toWellFormed()))
    throw new errors.InvalidClientMetadata('client_name must consist of visible characters.')
  const uris = [metadata.redirect_uris, metadata.post_logout_redirect_uris]
    .flat()
    .filter((uri) => typeof uri === 'string')
  for (const uri of uris) {
    const problem = clientRedirectUriProblem(uri)
    if (problem) throw new errors.InvalidClientMetadata(`redirect_uris: ${problem}`)
  }
  Object.assign(metadata, await ownersOf(ctx), {
    skip_consent: false,
    scope: metadata.scope ?? OAUTH_SCOPES.join(' '),
    application_type: applicationType(uris),
  })
}

async function ownersOf({ oidc }: RequestContext) {
  const { InitialAccessToken: token, Client: client } = oidc.entities
  if (client) return { tenant_id: client.tenant_id, mode: client.mode }
  const access = token && (await initialAccess(openTable(), token.jti))
  if (!access) throw new errors.InvalidToken()
  return { tenant_id: access.tenant_id, mode: 'live' }
}

/** A client manages its registration with this token (RFC 7592), as long as its maker may manage clients. */
export class RegistrationAccessAdapter extends ArtefactAdapter {
  constructor() {
    super('RegistrationAccessToken')
  }

  override async find(id: string): Promise<Payload | undefined> {
    const table = openTable()
    const payload = await super.find(id)
    const client = payload && (await findClient(table, String(payload.clientId)))
    return client && (await mayManageClients(table, client)) ? payload : undefined
  }
}

/** Hides a used token, because the library itself would accept it again. */
export class InitialAccessAdapter extends ArtefactAdapter {
  constructor() {
    super(INITIAL)
  }

  override async find(id: string): Promise<Payload | undefined> {
    return (await initialAccess(openTable(), id)) && super.find(id)
  }
}
