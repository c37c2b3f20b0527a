// Ends the rights of applications, together with their requests that nobody has decided.
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { cancelThrough } from '../../govern/approvals/cancel.ts'
import { changeClient, type ClientChange } from '../../identity/oauth/clients/change-client.ts'
import type { OAuthClient } from '../../identity/oauth/clients/client.ts'
import { type Connection, deleteClient, disconnect } from '../../identity/oauth/clients/delete-client.ts'

const DISCONNECTED = 'the access of the application was ended'

/**
 * Ends the access that the person gave to a client, and cancels the requests that the client made for them. Throws 404 for a client that
 * the person has given nothing. After a crash between the two the access has ended, so no open request of the client runs.
 */
export async function disconnectApplication(ctx: Context, of: Connection): Promise<void> {
  await disconnect(ctx, of)
  await cancelThrough(ctx, { ...of, reason: DISCONNECTED })
}

/** Deletes the client with its tokens, then cancels its open requests. Refuses what `deleteClient` refuses. */
export async function endOAuthClient(ctx: Context, removal: Parameters<typeof deleteClient>[1]): Promise<void> {
  await deleteClient(ctx, removal)
  await cancelThrough(ctx, { client_id: removal.id, reason: 'the OAuth client was deleted' })
}

/** Changes the client. Where the change disables it, its open requests are cancelled, too; enabling it again brings none of them back. */
export async function changeOAuthClient(ctx: Context, id: string, change: ClientChange): Promise<Stored<OAuthClient>> {
  const client = await changeClient(ctx, id, change)
  if (change.status === 'disabled') await cancelThrough(ctx, { client_id: id, reason: 'the OAuth client was disabled' })
  return client
}
