import type { Context } from '../../base/context.ts'
import { connections } from './connection.ts'
import { findConnector } from './known-connector.ts'

/** `missing`: required and not granted, where the connector is connected. */
export async function readScopes(ctx: Context, id: string) {
  const [connector, connection] = await Promise.all([
    findConnector(ctx, id),
    ctx.table.get(connections, { ...ctx.space, connector_id: id }),
  ])
  const granted = connection?.status === 'active' ? connection.scopes_granted : []
  const required = [...connector.scopes_required]
  return {
    required,
    optional: [...(connector.provider?.scopes_optional ?? [])],
    granted,
    missing: required.filter((scope) => !granted.includes(scope)),
  }
}
