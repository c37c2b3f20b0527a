import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Connection, connections } from './connection.ts'
import { findConnector } from './connector.ts'

const LOST = conflict('Another request has changed this connection. Read it again, then repeat your change.')

/** Throws 409 when there is nothing to disconnect. The credential is gone with it. */
export async function disconnect(ctx: Context, connectorId: string, reason?: string): Promise<void> {
  const connector = await findConnector(ctx, connectorId)
  const was = await ctx.table.get(connections, { ...ctx.space, connector_id: connectorId })
  if (!was) throw conflict('This connector is not connected.')
  const traces = changed(ctx, [
    {
      action: 'connection.disconnected',
      artifact: 'integration.connection.disconnected',
      subject: { type: 'connection', id: was.id, name: connector.name },
      data: { connector_id: connectorId },
      ...(reason && { reason }),
      events: [disconnectedEvent(was)],
    },
  ])
  await ctx.table.commit(
    [
      connections.remove(was, { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': was._v } }, LOST),
      ...traces,
    ],
    was.id,
  )
}

const disconnectedEvent = ({ id, connector_id, _v }: Stored<Connection>) => ({
  type: 'integration.disconnected' as const,
  subject: { id, version: _v + 1 },
  data: { connector_id, connection_id: id, reason: 'user' as const, revoked_at_provider: false },
})
