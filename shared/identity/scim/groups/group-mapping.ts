// Which roles groups give, as the service stored it. The tenant's setting says the same, but its item is not bound.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import type { Failure } from '../../../base/lib/failure.ts'
import { bound } from '../../../base/table/bound.ts'
import { MAC, spaceKey, type Write } from '../../../base/table/entity.ts'
import { ChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { TenantSettings } from '../../../base/tenant/tenant.ts'
import { raisedBy } from '../../access/raised.ts'
import { Raise } from '../../accounts/raise.ts'

export const groupMappings = bound({
  name: 'GROUPROLES',
  schema: z.object({
    tenant_id: z.string(),
    group_roles: TenantSettings.shape.group_roles,
    /** Who changed it; see accounts/raise.ts. */
    raised: z.array(Raise).optional(),
  }),
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: spaceKey({ tenant_id, mode: 'live' }), sk: 'GROUPROLES' }),
})

export type GroupMapping = TenantSettings['group_roles']

/** The mapping that counts; empty where the service has stored none. */
export const groupMapping = async (ctx: Context): Promise<GroupMapping> => (await mappingOf(ctx))?.group_roles ?? []

/** With who changed it. */
export const mappingOf = ({ table, space }: Context) => table.get(groupMappings, { tenant_id: space.tenant_id })

/** The item as it is in the table, also one that the service did not write. */
const asStored = { key: groupMappings.key, decode: (attributes: Record<string, AttributeValue>) => attributes }

/**
 * The setting, and the check that a commit relying on it includes. The check compares the HMAC of the item that was read, so it
 * also passes while an item is there that the service did not write and that counts as none.
 */
export async function guardedMapping({ table, space }: Context): Promise<{ mapping: GroupMapping; unchanged: Write }> {
  const at = { tenant_id: space.tenant_id }
  const [found] = await Promise.all([table.get(asStored, at), groupMappings.binding.ready()])
  const isOurs = found !== undefined && (await groupMappings.binding.holds(found))
  const mac = found?.[MAC]?.B
  const condition = {
    expression: mac ? '#mac = :mac' : 'attribute_not_exists(#mac)',
    names: { '#mac': MAC },
    ...(mac && { values: { ':mac': mac } }),
  }
  return {
    mapping: isOurs ? groupMappings.decode(found).group_roles : [],
    unchanged: groupMappings.check(at, condition, new ChangedMeanwhile()),
  }
}

/** For the commit that changes the setting. `lost`: thrown when another request has changed it meanwhile. */
export async function mappingWrite(ctx: Context, group_roles: GroupMapping, lost: Failure): Promise<Write> {
  const { tenant_id } = ctx.space
  const was = await mappingOf(ctx)
  const item = { tenant_id, group_roles, raised: await raisedBy(ctx, { raised: was?.raised }) }
  return was ? groupMappings.replace(item, was, lost) : groupMappings.insert(item, lost)
}
