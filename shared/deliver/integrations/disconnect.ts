import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Connection, connections } from './connection.ts'
import { findConnector } from './known-connector.ts'
import { nangoConnections } from './nango/nango-connection.ts'
import { revokedAtProvider } from './revoke.ts'
import { listsOf } from './sync/job.ts'
import { beginRemoval, removalOf } from './sync/removal.ts'

const LOST = conflict('Another request has changed this connection. Read it again, then repeat your change.')

/**
 * Revokes the credential at the provider, then deletes it here. The provider is asked first, so that the record can say whether
 * it agreed; the credential is deleted in either case. Throws 409 when there is nothing to disconnect.
 */
export async function disconnect(ctx: Context, connectorId: string, reason?: string): Promise<{ revoked: boolean }> {
  const connector = await findConnector(ctx, connectorId)
  const was = await ctx.table.get(connections, { ...ctx.space, connector_id: connectorId })
  if (!was || was.status === 'disconnected') throw conflict('This connector is not connected.')
  const revoked = await revokedAtProvider(ctx, connector, was)
  const { id, connected_at, connected_by, account } = was
  const next: Connection = {
    ...ctx.space,
    id,
    connector_id: connectorId,
    connected_at,
    connected_by,
    account,
    status: 'disconnected',
    scopes_granted: [],
  }
  const traces = changed(ctx, [
    {
      action: 'connection.disconnected',
      artifact: 'integration.connection.disconnected',
      subject: { type: 'connection', id, name: connector.name },
      data: { connector_id: connectorId, revoked_at_provider: revoked },
      ...(reason && { reason }),
      events: [disconnectedEvent(was, revoked)],
    },
  ])
  const models = [...(connector.provider?.models ?? []).map(({ name }) => name), ...(await listsOf(ctx, id))]
  const removal = models.length > 0 ? [await removalOf(ctx, id, models)] : []
  await ctx.table.commit([connections.replace(next, was, LOST), ...forgotten(was), ...removal, ...traces], id)
  if (models.length > 0) await beginRemoval(ctx, id)
  return { revoked }
}

const forgotten = ({ nango_id }: Connection) => (nango_id === undefined ? [] : [nangoConnections.remove({ nango_id })])

const disconnectedEvent = ({ id, connector_id, _v }: Stored<Connection>, revoked_at_provider: boolean) => ({
  type: 'integration.disconnected' as const,
  subject: { id, version: _v + 1 },
  data: { connector_id, connection_id: id, reason: 'user' as const, revoked_at_provider },
})
