// Connects a tenant to an API that takes a fixed credential.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { type Connection, connections } from './connection.ts'
import { type Connector, findConnector } from './connector.ts'
import { type Credentials, mustFit } from './credentials.ts'
import { sealedCredential } from './sealed-credential.ts'

const lost = conflict('Another request has changed this connection. Read it again, then repeat your change.')

/** A connection that is there keeps its id. */
export async function connect(ctx: Context, connectorId: string, credentials: Credentials): Promise<Connection> {
  const connector = await findConnector(ctx, connectorId)
  mustFit(connector.auth, credentials)
  const was = await ctx.table.get(connections, { ...ctx.space, connector_id: connectorId })
  const connection = await newConnection(ctx, connector, { credentials, id: was?.id ?? ctx.id('con') })
  const write = was ? connections.replace(connection, was, lost) : connections.insert(connection, lost)
  const { id, connector_id } = connection
  const traces = changed(ctx, [
    {
      action: was ? 'connection.reconnected' : 'connection.connected',
      artifact: 'integration.connection.connected',
      subject: { type: 'connection', id, name: connector.name },
      data: { connector_id },
      events: [
        {
          type: 'integration.connected',
          subject: { id, version: (was?._v ?? 0) + 1 },
          data: {
            connector_id,
            connection_id: id,
            provider: connector_id,
            scopes_granted: [],
            connected_by: ctx.principal.id,
            reauthorized: was !== undefined,
          },
        },
      ],
    },
  ])
  await ctx.table.commit([write, ...traces], id)
  return connection
}

type Given = { credentials: Credentials; id: string }

async function newConnection(
  ctx: Context,
  { id: connector_id, base_url, auth }: Connector,
  { credentials, id }: Given,
) {
  const at = connections.key({ ...ctx.space, connector_id })
  const connection: Connection = {
    ...ctx.space,
    id,
    connector_id,
    status: 'active',
    sealed: await sealedCredential.seal(ctx.space, at, JSON.stringify({ base_url, auth, credentials })),
    connected_at: iso(ctx.now()),
    connected_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
  return connection
}
