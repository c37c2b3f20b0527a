// The uses of a grant, one item for each. Whoever sets back the count of a grant leaves them behind, and whoever removes one
// leaves an execution whose evidence names the grant.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

const GrantUse = z.object({ ...spaceMembers, grant_id: z.string(), request_id: z.string() })
type GrantUse = z.output<typeof GrantUse>

const partition = (of: Space & Pick<GrantUse, 'grant_id'>): string => spaceKey(of, 'GRANTUSE', of.grant_id)

export const grantUses = entity({
  name: 'GRANTUSE',
  unbound: 'bounded',
  schema: GrantUse,
  key: (of: GrantUse) => ({ pk: partition(of), sk: of.request_id }),
})

/** Part of the transaction that runs the action. */
export const grantUsed = ({ space }: Context, grant_id: string, request_id: string): Write =>
  grantUses.insert({ ...space, grant_id, request_id })

/** The requests that ran under each grant, by its id. A policy permits a hundred at most. */
export async function requestsUnder(ctx: Context, grant_ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const ids = [...new Set(grant_ids)]
  const found = await Promise.all(
    ids.map(async (grant_id) => {
      const uses = await ctx.table.keys({ pk: partition({ ...ctx.space, grant_id }) })
      return [grant_id, new Set(uses.map(({ sort }) => sort))] as const
    }),
  )
  return new Map(found)
}
