// The library's storage of clients: reads all clients, and writes those that register themselves.
import { type Adapter, errors, type Payload, Provider } from 'oidc-provider'
import { type Context, openTable } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { grantNow, makerOf } from '../access/grant-now.ts'
import { endConsents } from '../artefacts/end-grants.ts'
import { ArtefactAdapter } from './adapter.ts'
import { clientUpdated } from './change-client.ts'
import { CLIENTS_MAX, findClient, forgetClient, type OAuthClient, oauthClients } from './client.ts'
import { openSecret, sealSecret } from './client-secret.ts'
import { metadataOf, registeredFields } from './client-metadata.ts'
import { problemsOf } from './client-rules.ts'
import { clientCreated, isFull } from './create-client.ts'
import { refusalOfLogoutUri, sealLogoutUri } from './logout-uri.ts'
import { clientDeleted } from './delete-client.ts'
import { INITIAL, type InitialAccess, initialAccess } from './registration-token.ts'
import { asClient, contextIn, namedResource } from './current-request.ts'
import { use } from '../artefacts/store.ts'
import { documentMetadata } from './document-client.ts'
import { isDocumentUrl } from '../artefacts/client-id.ts'

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
