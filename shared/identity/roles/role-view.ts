// Roles as the API shows them, the built-in ones with their descriptions.
import * as z from 'zod'
import { type CustomRole, customRoles } from '../access/permissions.ts'
import { permissionsOfRoles, ROLES } from '../../base/catalog/permissions.ts'
import type { Context } from '../../base/context.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { isBuiltIn } from '../access/roles.ts'

export const RoleView = z.object({
  name: z.string().describe('A name for people.'),
  description: z.string().describe('A description for people.'),
  permissions: z.array(z.string()).describe('Permissions, as `resource:verb`.'),
  /** Built-in roles cannot be changed. */
  built_in: z.boolean().describe('Whether every tenant has this role.'),
})
export type RoleView = z.output<typeof RoleView>

const DESCRIPTIONS = {
  owner: 'Everything, also closing the tenant, its encryption keys and billing.',
  admin: 'Everything but what only owners do.',
  approver: 'Decides held actions and applies routing updates.',
  developer: 'Manifests, executions, training, API keys, OAuth clients and webhooks.',
  operator: 'Alerts, objectives, incidents, runbooks and synchronisation.',
  member: 'Executes actions, reads, and works on their own tasks.',
  auditor: 'Reads everything, with audit log and exports, and may add compliance evidence.',
  billing: 'Plans, invoices and payment.',
} satisfies Record<(typeof ROLES)[keyof typeof ROLES], string>

export const BUILT_IN_ROLES: readonly RoleView[] = Object.values(ROLES).map((name) => ({
  name,
  description: DESCRIPTIONS[name],
  permissions: [...permissionsOfRoles([name])],
  built_in: true,
}))

export const roleView = ({ name, description, permissions }: CustomRole): RoleView => ({
  name,
  description,
  permissions,
  built_in: false,
})

/** Finds a custom role. Throws 409 for a built-in role, 404 for a missing one. */
export async function findRole({ table, space }: Context, name: string): Promise<Stored<CustomRole>> {
  if (isBuiltIn(name)) throw conflict('You cannot change a built-in role. Create a custom role instead.')
  const found = await table.get(customRoles, { tenant_id: space.tenant_id, name })
  if (!found) throw notFound('role')
  return found
}
