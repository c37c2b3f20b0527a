// Grants: the rights that a person gave to a client. Each grant begins and ends with evidence. It is indexed by the person,
// so that signing out everywhere ends it.
import { type Payload, Provider, type SignIn } from 'oidc-provider'
import { type Change, changed } from '../../../ledger/audit/changed.ts'
import { type Context, openTable } from '../../../base/context.ts'
import { notFound } from '../../../base/lib/failure.ts'
import type { Write } from '../../../base/table/entity.ts'
import { unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { ArtefactAdapter } from './adapter.ts'
import { findClient, forgetClient, oauthClients } from '../clients/client.ts'
import { clientCreated } from '../clients/create-client.ts'
import { asClient, asUser, contextIn, namedResource } from '../current-request.ts'
import { documentClient } from '../clients/document-client.ts'
import { artefacts, isDocumentUrl, named, storedId } from '../../artefacts/artefact.ts'
import { tenantOfTools } from '../resources.ts'
import { connectionEnded } from '../../artefacts/end-grant.ts'
import { logoutsFor } from '../../artefacts/logouts.ts'
import { removeExisting } from '../../artefacts/store.ts'

export class GrantAdapter extends ArtefactAdapter {
  constructor() {
    super('Grant')
  }

  override async upsert(id: string, payload: Payload): Promise<void> {
    const clientId = String(payload.clientId)
    const tenant_id = await tenantOfClient(clientId)
    if (tenant_id === undefined) throw notFound('OAuth client')
    const user_id = String(payload.accountId)
    const ctx = contextIn(tenant_id, asUser(user_id))
    const client_id = storedId(clientId, tenant_id)
    await ctx.table.commit([
      ...this.writesOf(id, payload, { tenant_id, account_id: user_id, ...(await shownOf(id, payload)) }),
      ...(client_id === clientId ? [] : await storesDocumentClient(ctx, clientId, user_id)),
      ...changed(ctx, [
        {
          action: 'oauth_grant.created',
          artifact: 'identity.oauth_grant.created',
          subject: { type: 'oauth_grant', id },
          data: { client_id, user_id, scopes: scopesOf(payload), resources: resourcesOf(payload) },
        },
      ]),
    ])
    forgetClient(client_id)
  }

  /** Called when somebody signs out, when the client revokes a token, or when a code or refresh token is used twice. */
  override async destroy(id: string): Promise<void> {
    const payload = await this.find(id)
    if (!payload) return
    const clientId = String(payload.clientId)
    const tenant_id = await tenantOfClient(clientId)
    if (tenant_id === undefined) return super.destroy(id) // the grant ended with its client, whose deletion was recorded
    const client_id = storedId(clientId, tenant_id)
    const ctx = contextIn(tenant_id, asClient(client_id))
    const user_id = String(payload.accountId)
    const change: Change = {
      action: 'oauth_grant.revoked',
      artifact: 'identity.oauth_grant.revoked',
      subject: { type: 'oauth_grant', id },
      data: { client_id, user_id },
    }
    const ended = isSignOut() ? [] : [connectionEnded({ tenant_id, user_id, client_id }, ctx.now())]
    const logouts = asksItself() ? [] : logoutsFor(ctx, user_id, [{ ...named(this.model, id), client_id }])
    const writes = [removeExisting(this.model, id), ...ended, ...changed(ctx, [change], { logouts })]
    // Unless it has ended meanwhile.
    await unlessChangedMeanwhile(ctx.table.commit(writes))
  }
}

/** Whether the client revokes its own token, and so needs no notice. */
const asksItself = () => Provider.ctx?.oidc.route === 'revocation'

/** A person who signs out in a browser withdraws no request that was made, as with any other session. */
const isSignOut = () => Provider.ctx?.oidc.route === 'end_session_confirm'

/** A registered client is of one tenant. One that a URL names is of the tenant whose tools the request is about. */
async function tenantOfClient(client_id: string): Promise<string | undefined> {
  if (isDocumentUrl(client_id)) return tenantOfTools(namedResource())
  return (await findClient(openTable(), client_id))?.tenant_id
}

/** The first to agree stores the client in their tenant. Of several at once, one does; the others are asked again. */
async function storesDocumentClient(ctx: Context, url: string, user_id: string): Promise<Write[]> {
  if (await findClient(ctx.table, storedId(url, ctx.space.tenant_id))) return []
  const client = await documentClient(ctx, url, user_id)
  if (!client) throw notFound('OAuth client')
  return [oauthClients.insert(client), ...clientCreated(ctx, client)]
}

/**
 * The members by which the list of applications shows a grant and a single logout finds it. A grant that is widened keeps when it
 * was last used.
 */
async function shownOf(id: string, payload: Payload) {
  const stored = await openTable().get(artefacts, named('Grant', id))
  return {
    scopes: scopesOf(payload),
    resources: resourcesOf(payload),
    given_at: Number(payload.iat),
    last_used_at: stored?.last_used_at,
    slo_key: (payload.sign_in as SignIn | undefined)?.slo_key,
  }
}

const resourcesOf = ({ resources }: Payload): string[] => Object.keys(resources ?? {}) // by resource, its scopes

/** Every resource of a grant has all of its scopes. */
const scopesOf = ({ openid }: Payload): string[] => String((openid as { scope?: string } | undefined)?.scope).split(' ')
