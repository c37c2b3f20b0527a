import { tenantOf } from '../../../base/tenant/find.ts'
import type { Table } from '../../../base/table/table.ts'
import type { OAuthClient } from './client.ts'
import type { Tenant } from '../../../base/tenant/tenant.ts'

/** Whether the tenant lets this client act now. */
export async function mayAct(table: Table, client: OAuthClient, tenant_id: string): Promise<boolean> {
  if (client.status !== 'active' || client.tenant_id !== tenant_id) return false
  return client.document === undefined || mayConnect(await tenantOf(table, tenant_id), client.document)
}

/** Whether the tenant lets this client connect now. */
export function mayConnect({ status, settings: { mcp } }: Pick<Tenant, 'status' | 'settings'>, url: string): boolean {
  return status === 'active' && mcp.enabled && mcp.clients === 'hosts' && mcp.hosts.includes(new URL(url).host)
}
