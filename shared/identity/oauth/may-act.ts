import { tenantOf } from '../../base/tenant/find.ts'
import type { Table } from '../../base/table/table.ts'
import type { OAuthClient } from './client.ts'
import { mayConnect } from './may-connect.ts'

/** Whether the tenant lets this client act now. */
export async function mayAct(table: Table, client: OAuthClient, tenant_id: string): Promise<boolean> {
  if (client.status !== 'active' || client.tenant_id !== tenant_id) return false
  return client.document === undefined || mayConnect(await tenantOf(table, tenant_id), client.document)
}
