// The provider, or the person who was asked, said no.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { type Connection, connections } from './connection.ts'
import type { KnownConnector } from './known-connector.ts'

const PROVIDER_CODE = /^[\w .-]{1,100}$/

/** What is connected stays connected. Answers the code that is shown. */
export async function noteRefusal(ctx: Context, connector: KnownConnector, said: string): Promise<string> {
  const error_code = PROVIDER_CODE.test(said) ? said : 'refused'
  const was = await ctx.table.get(connections, { ...ctx.space, connector_id: connector.id })
  if (!was) return error_code
  const { authorizing_until: _, ...rest } = was
  const works = was.status === 'active' || was.status === 'needs_reauth'
  const next: Connection = works ? rest : { ...rest, status: 'error', error_code }
  const lost = conflict('Another request has changed this connection. Start again.')
  const traces = changed(ctx, [
    {
      action: 'connection.refused',
      artifact: 'integration.connection.error',
      subject: { type: 'connection', id: was.id, name: connector.name },
      data: { connector_id: connector.id, error_code },
    },
  ])
  await ctx.table.commit([connections.replace(next, was, lost), ...traces], was.id)
  return error_code
}
