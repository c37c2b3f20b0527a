// Whether the tenant lets a client act. Every request with a token asks this, so it stays apart from the OAuth library.
import { tenantOf } from '../../../base/tenant/find.ts'
import type { Table } from '../../../base/table/table.ts'
import type { OAuthClient } from './client.ts'
import type { Tenant } from '../../../base/tenant/tenant.ts'

/** False for a disabled client, another tenant's, and one whose document the tenant no longer lets connect. */
export async function mayAct(table: Table, client: OAuthClient, tenant_id: string): Promise<boolean> {
  if (client.status !== 'active' || client.tenant_id !== tenant_id) return false
  return client.document === undefined || mayConnect(await tenantOf(table, tenant_id), client.document)
}

/** Whether the tenant lets a client whose document is at `url` connect. */
export function mayConnect({ status, settings: { mcp } }: Pick<Tenant, 'status' | 'settings'>, url: string): boolean {
  return status === 'active' && mcp.enabled && mcp.clients === 'hosts' && mcp.hosts.includes(new URL(url).host)
}
