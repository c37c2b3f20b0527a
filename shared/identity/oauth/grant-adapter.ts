// Grants: the rights that a person gave to a client. Each grant begins and ends with evidence. It is indexed by the person,
// so that signing out everywhere ends it.
import type { Payload } from 'oidc-provider'
import { changed } from '../../ledger/audit/changed.ts'
import { openTable } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { ArtefactAdapter } from './adapter.ts'
import { findClient } from './client.ts'
import { asClient, asUser, contextIn } from './current-request.ts'
import { removeExisting } from '../artefacts/store.ts'

export class GrantAdapter extends ArtefactAdapter {
  constructor() {
    super('Grant')
  }

  override async upsert(id: string, payload: Payload): Promise<void> {
    const client = await findClient(openTable(), String(payload.clientId))
    if (!client) throw notFound('OAuth client')
    const { tenant_id, client_id } = client
    const user_id = String(payload.accountId)
    const ctx = contextIn(tenant_id, asUser(user_id))
    await ctx.table.commit([
      ...this.writesOf(id, payload, { tenant_id, account_id: user_id }),
      ...changed(ctx, [
        {
          action: 'oauth_grant.created',
          artifact: 'identity.oauth_grant.created',
          subject: { type: 'oauth_grant', id },
          data: { client_id, user_id, scopes: scopesOf(payload) },
        },
      ]),
    ])
  }

  /** Called when the client revokes a token, or when a code or refresh token is used twice. */
  override async destroy(id: string): Promise<void> {
    const payload = await this.find(id)
    if (!payload) return
    const client = await findClient(openTable(), String(payload.clientId))
    if (!client) return super.destroy(id) // the grant ended with its client, and the deletion of the client was recorded
    const { tenant_id, client_id } = client
    const ctx = contextIn(tenant_id, asClient(client_id))
    const writes = [
      removeExisting(this.model, id),
      ...changed(ctx, [
        {
          action: 'oauth_grant.revoked',
          artifact: 'identity.oauth_grant.revoked',
          subject: { type: 'oauth_grant', id },
          data: { client_id, user_id: String(payload.accountId) },
        },
      ]),
    ]
    await ctx.table.commit(writes).catch((error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error // it has ended meanwhile
    })
  }
}

/** Grants of this server name one resource with all scopes. */
const scopesOf = ({ openid }: Payload): string[] => String((openid as { scope?: string } | undefined)?.scope).split(' ')
