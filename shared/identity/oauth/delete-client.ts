import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { endConsents } from '../artefacts/end-grants.ts'
import { forgetClient, type OAuthClient, oauthClients } from './client.ts'
import { ownClient } from './find-client.ts'

type Removal = { id: string; version?: number | undefined }

/** Deletes a client. Its grants, codes and tokens end with it, because each use reads the client and its id is never reused. */
export async function deleteClient(ctx: Context, { id, version }: Removal): Promise<void> {
  const was = await ownClient(ctx, id)
  mustBeCurrent(version, was._v)
  if (was.document !== undefined)
    throw conflict('A document describes this client, so it would return. Set its status to disabled instead.')
  await ctx.table.commit(clientDeleted(ctx, was))
  forgetClient(id)
  await endConsents(ctx, id)
}

/** The removal with its evidence, through the API or through registration management (RFC 7592). */
export const clientDeleted = (ctx: Context, { client_id, name }: OAuthClient): Write[] => [
  oauthClients.remove({ client_id }, { expression: 'attribute_exists(pk)' }, notFound('OAuth client')),
  ...changed(ctx, [
    {
      action: 'oauth_client.deleted',
      artifact: 'identity.oauth_client.deleted',
      subject: { type: 'oauth_client', id: client_id, name },
    },
  ]),
]
