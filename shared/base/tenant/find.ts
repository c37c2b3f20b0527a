// Reads tenants, from a short cache or from the table.
import { notFound } from '../lib/failure.ts'
import { memory } from '../lib/memory.ts'
import type { Stored } from '../table/entity.ts'
import type { Table } from '../table/table.ts'
import { type Tenant, tenants } from './tenant.ts'

/** Cached plan, status, policies and negotiated limits may be this old. */
const FRESH_MS = 30_000

const cache = memory<{ tenant: Stored<Tenant>; until: number }>()

export async function tenantOf(table: Table, id: string): Promise<Stored<Tenant>> {
  const cached = cache.get(id)
  return cached && cached.until > table.clock.now() ? cached.tenant : freshTenant(table, id)
}

/** Bypasses the cache: every change of a tenant starts from this. */
export async function freshTenant(table: Table, id: string): Promise<Stored<Tenant>> {
  const tenant = await table.get(tenants, { id })
  if (!tenant) throw notFound('tenant')
  cache.set(id, { tenant, until: table.clock.now() + FRESH_MS })
  return tenant
}

/** Called after a change by this container. */
export const forgetTenant = (id: string): boolean => cache.delete(id)
