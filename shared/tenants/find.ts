import { notFound } from '../lib/failure.ts'
import type { Table } from '../table/table.ts'
import { type Tenant, tenants } from './tenant.ts'

/** Plan, status and agreed figures may be this old: they change rarely and protect nothing that a key does not. */
const FRESH_MS = 30_000

const known = new Map<string, { tenant: Tenant; until: number }>()

export async function tenantOf(table: Table, id: string): Promise<Tenant> {
  const cached = known.get(id)
  if (cached && cached.until > table.clock.now()) return cached.tenant
  const tenant = await table.get(tenants, { id })
  if (!tenant) throw notFound('tenant')
  known.set(id, { tenant, until: table.clock.now() + FRESH_MS })
  return tenant
}

/** For harnesses that switch to another deployment in one process. */
export function forgetTenants(): void {
  known.clear()
}
