import type { Context } from '../../base/context.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { artefacts, named, sealPayload } from '../artefacts/artefact.ts'
import type { AccessClaims } from './access-token.ts'
import { findClient, forgetClient, oauthClients } from './client.ts'
import { ENDED_TOKEN } from './ended-token.ts'

/** Ends a token of the client at once. A second time changes nothing. */
export async function endToken(ctx: Context, { jti, exp, tenant_id, client_id }: AccessClaims): Promise<void> {
  const { table } = ctx
  const client = await findClient(table, client_id)
  if (!client) return // its tokens have ended with it
  const sealed = sealPayload(ENDED_TOKEN, jti, {}, table.random)
  const known = { expression: 'attribute_exists(pk)' }
  try {
    await table.commit([
      artefacts.insert({ ...named(ENDED_TOKEN, jti), sealed, exp, tenant_id, client_id }),
      ...(client.ends_tokens ? [] : [oauthClients.update(client, { set: { ends_tokens: true }, condition: known })]),
      ...changed(ctx, [
        {
          action: 'oauth_token.revoked',
          artifact: 'identity.oauth_token.revoked',
          subject: { type: 'oauth_token', id: jti },
          data: { client_id },
        },
      ]),
    ])
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error // it has ended meanwhile
  } finally {
    forgetClient(client_id)
  }
}
