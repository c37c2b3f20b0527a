// Stores what an authorisation brought: the end of every way to connect.
import { changed } from '../../ledger/audit/changed.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { closeTask } from '../../govern/tasks/store-task.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { roomForOne } from '../../base/tenant/retention.ts'
import { type Connection, connections, connectionsPartition } from './connection.ts'
import { nangoConnections } from './nango/nango-connection.ts'
import { type NewCredential, sealCredential } from './credential.ts'
import type { KnownConnector } from './known-connector.ts'

export type Connected = { credential: NewCredential } & Beside &
  Partial<Pick<Connection, 'scopes_granted' | 'account' | 'expires_at' | 'nango_id'>>

/**
 * `by`: the caller who began it, where a message of the provider completes it; `persons`: all people who could have. Without
 * them, those of the request. `taking` goes into the same commit.
 */
type Beside = { by?: { type: string; id: string }; persons?: readonly string[]; taking?: Write }

const lost = conflict('Another request has changed this connection. Read it again, then repeat your change.')

/**
 * Stores the connection as active, with its credential sealed, its evidence and events in one transaction. A connection that had
 * failed keeps its id, and its task to connect again is completed. Throws 409 for another account than before, 403 where the plan
 * allows no more connections. Of two callers at once one gets a 409.
 */
export const storeConnection = (ctx: Context, connector: KnownConnector, connected: Connected): Promise<Connection> =>
  retryWhenChanged(async () => {
    const was = await ctx.table.get(connections, { ...ctx.space, connector_id: connector.id })
    const again = was && was.status !== 'disconnected' && was.connected_at !== undefined ? was : undefined
    if (again?.account && connected.account && again.account.id !== connected.account.id)
      throw conflict('This is another account than the connected one. Disconnect first to change the account.', {
        code: 'different_account',
      })
    const {
      credential,
      scopes_granted = [],
      taking,
      by: beginner,
      persons = ctx.principal.persons,
      ...facts
    } = connected
    const by = beginner ?? { type: ctx.principal.kind, id: ctx.principal.id }
    const connection: Connection = {
      ...ctx.space,
      ...facts,
      id: keptId(was) ?? ctx.id('con'),
      connector_id: connector.id,
      status: 'active',
      scopes_granted,
      sealed: await sealCredential(ctx, connector.id, { ...credential, by, persons: [...persons] }),
      connected_at: iso(ctx.now()),
      connected_by: by,
    }
    const room = again
      ? []
      : await roomForOne(ctx, { quota: 'connections', count: () => liveConnections(ctx), busy: new ChangedMeanwhile() })
    const write = was ? connections.replace(connection, was, lost) : connections.insert(connection, lost)
    const task =
      again?.task_id && (await closeTask(ctx, again.task_id, { status: 'completed', resolution: 'connected again' }))
    const [closed] = task ? task.transitions : []
    const of = { id: connection.id, connector, again: again !== undefined, version: (was?._v ?? 0) + 1 }
    await ctx.table.commit(
      [
        write,
        ...room,
        ...(taking ? [taking] : []),
        ...nangoWrites(ctx, was, connection),
        ...connectedTraces(ctx, of, connection),
        ...(task ? task.writes : []),
        ...(task && closed ? commitWith(ctx, [closed], { mails: task.mails }) : []),
      ],
      connection.id,
    )
    return connection
  })

/** A connection that was not disconnected keeps its id. So does one that was never connected: its start was recorded under it. */
const keptId = (was: Connection | undefined): string | undefined =>
  was && (was.status !== 'disconnected' || was.connected_at === undefined) ? was.id : undefined

/** Disconnected ones leave their place. */
async function liveConnections({ table, space }: Context): Promise<number> {
  const all = await table.query(connections, { pk: connectionsPartition(space) })
  return all.filter(({ status, connected_at }) => status !== 'disconnected' && connected_at !== undefined).length
}

/** Messages of Nango find the tenant by this item. */
const nangoWrites = (
  { space }: Context,
  was: Connection | undefined,
  { nango_id, connector_id }: Connection,
): Write[] => [
  ...(was?.nango_id !== undefined && was.nango_id !== nango_id
    ? [nangoConnections.remove({ nango_id: was.nango_id })]
    : []),
  ...(nango_id === undefined || nango_id === was?.nango_id
    ? []
    : [nangoConnections.insert({ ...space, nango_id, connector_id }, lost)]),
]

type Of = { id: string; connector: KnownConnector; again: boolean; version: number }

const connectedTraces = (
  ctx: Context,
  { id, connector, again, version }: Of,
  { scopes_granted, connected_by }: Connection,
) =>
  changed(ctx, [
    {
      action: again ? 'connection.reconnected' : 'connection.connected',
      artifact: 'integration.connection.connected',
      subject: { type: 'connection', id, name: connector.name },
      data: { connector_id: connector.id, scopes: scopes_granted.length },
      events: [
        {
          type: 'integration.connected',
          subject: { id, version },
          data: {
            connector_id: connector.id,
            connection_id: id,
            provider: connector.id,
            scopes_granted,
            connected_by: connected_by?.id ?? ctx.principal.id,
            reauthorized: again,
          },
        },
      ],
    },
  ])
