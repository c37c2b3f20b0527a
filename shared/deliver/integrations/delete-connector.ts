// Deletes a connector of a tenant's own.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { connections } from './connection.ts'
import { connectors } from './connector.ts'
import { deleteDocument } from './document-file.ts'
import { findConnector } from './known-connector.ts'

const LOST = conflict('Another request has changed this connector. Read it again, then repeat your change.')

/** Throws 409 while it is connected, and for one of the catalogue. Its published nodes stay, and fail for want of a connection. */
export async function deleteConnector(ctx: Context, id: string): Promise<void> {
  const { own, name } = await findConnector(ctx, id)
  if (!own) throw conflict('This connector is part of the catalogue. Disconnect it instead.')
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id: id })
  if (connection && connection.status !== 'disconnected')
    throw conflict('This connector is connected. Disconnect it before you delete it.')
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' } }
  const traces = changed(ctx, [
    {
      action: 'connector.deleted',
      artifact: 'integration.connector.deleted',
      subject: { type: 'connector', id, name },
    },
  ])
  await ctx.table.commit(
    [
      connectors.remove(own, { ...unchanged, values: { ':was': own._v } }, LOST),
      ...(connection
        ? [connections.remove(connection, { ...unchanged, values: { ':was': connection._v } }, LOST)]
        : []),
      ...traces,
    ],
    id,
  )
  await deleteDocument(own)
}
