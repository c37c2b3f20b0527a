// Which roles groups give, as the service stored it. The tenant's setting says the same, but its item is not bound.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import type { Failure } from '../../base/lib/failure.ts'
import { bound } from '../../base/table/bound.ts'
import { spaceKey, type Write } from '../../base/table/entity.ts'
import { TenantSettings } from '../../base/tenant/tenant.ts'

export const groupMappings = bound({
  name: 'GROUPROLES',
  schema: z.object({ tenant_id: z.string(), group_roles: TenantSettings.shape.group_roles }),
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: spaceKey({ tenant_id, mode: 'live' }), sk: 'GROUPROLES' }),
  free: [],
})

export type GroupMapping = TenantSettings['group_roles']

export async function groupMapping({ table, space }: Context): Promise<GroupMapping> {
  return (await table.get(groupMappings, { tenant_id: space.tenant_id }))?.group_roles ?? []
}

/** For the commit that changes the setting. `lost`: thrown when another request has changed it meanwhile. */
export async function mappingWrite(
  { table, space }: Context,
  group_roles: GroupMapping,
  lost: Failure,
): Promise<Write> {
  const item = { tenant_id: space.tenant_id, group_roles }
  const was = await table.get(groupMappings, item)
  return was ? groupMappings.replace(item, was, lost) : groupMappings.insert(item, lost)
}
