import type { Tenant } from '../../base/tenant/tenant.ts'

/** Whether the tenant lets this client connect now. */
export function mayConnect({ status, settings: { mcp } }: Pick<Tenant, 'status' | 'settings'>, url: string): boolean {
  return status === 'active' && mcp.enabled && mcp.clients === 'hosts' && mcp.hosts.includes(new URL(url).host)
}
