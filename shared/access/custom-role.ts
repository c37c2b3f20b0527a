// Roles that a tenant defines for itself, each a set of permissions.
import * as z from 'zod'
import { memory } from '../lib/memory.ts'
import { entity, key } from '../table/entity.ts'
import type { Table } from '../table/table.ts'
import { PERMISSIONS, type Permission } from './permissions.ts'

export const CUSTOM_ROLES_MAX = 50
const FRESH_MS = 30_000

export const CustomRole = z.object({
  tenant_id: z.string(),
  name: z.string().regex(/^[a-z][a-z0-9_-]{1,39}$/),
  description: z.string(),
  permissions: z.array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])),
  created_at: z.string(),
  updated_at: z.string(),
})
export type CustomRole = z.output<typeof CustomRole>

export const customRoles = entity({
  name: 'ROLE',
  schema: CustomRole,
  key: (of: { tenant_id: string; name: string }) => ({
    pk: key('T', of.tenant_id, 'live'),
    sk: key('ROLE', of.name),
  }),
})

const known = memory<{ roles: readonly CustomRole[]; until: number }>()

/** Read now, at most 50. */
export const freshCustomRoles = (table: Table, tenantId: string) =>
  table.query(customRoles, { pk: key('T', tenantId, 'live'), prefix: 'ROLE#', limit: CUSTOM_ROLES_MAX })

/** As of at most 30 seconds ago. */
export async function customRolesOf(table: Table, tenantId: string): Promise<readonly CustomRole[]> {
  const cached = known.get(tenantId)
  if (cached && cached.until > table.clock.now()) return cached.roles
  const roles = await freshCustomRoles(table, tenantId)
  known.set(tenantId, { roles, until: table.clock.now() + FRESH_MS })
  return roles
}

/** After a change by this container. */
export const forgetCustomRoles = (tenantId: string): boolean => known.delete(tenantId)
