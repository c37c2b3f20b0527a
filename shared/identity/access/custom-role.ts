// Roles that a tenant defines for itself, each a set of permissions.
import * as z from 'zod'
import { bound } from '../../base/table/bound.ts'
import { key } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { Raise } from '../accounts/raise.ts'
import { PERMISSIONS, type Permission } from '../../base/catalog/permissions.ts'

export const CUSTOM_ROLES_MAX = 50

export const CustomRole = z.object({
  tenant_id: z.string(),
  name: z.string().regex(/^[a-z][a-z0-9_-]{1,39}$/),
  description: z.string(),
  permissions: z.array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])),
  /** Who last let its holders decide on approvals; see accounts/raise.ts. */
  raised: z.array(Raise).optional(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type CustomRole = z.output<typeof CustomRole>

export const customRoles = bound({
  name: 'ROLE',
  schema: CustomRole,
  key: (of: { tenant_id: string; name: string }) => ({
    pk: key('T', of.tenant_id, 'live'),
    sk: key('ROLE', of.name),
  }),
})

/** All custom roles of the tenant, read now. */
export const freshCustomRoles = (table: Table, tenantId: string) =>
  table.query(customRoles, { pk: key('T', tenantId, 'live'), prefix: 'ROLE#', limit: CUSTOM_ROLES_MAX })
