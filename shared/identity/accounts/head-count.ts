// How many people and groups a directory has. The commit that adds or removes one also counts it, in one of several items, so that
// commits of the same moment seldom meet.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { sha256 } from '../../base/lib/json.ts'
import { entity, key, padded, spaceKey, type Write } from '../../base/table/entity.ts'

export type Counted = 'users' | 'groups'

/** Together they fit into one read unit. */
const ITEMS = 16

const partition = (space: Space, of: Counted) => spaceKey(space, 'HEADCOUNT', of)

const headCounts = entity({
  name: 'HEADCOUNT',
  unbound: 'bounded',
  schema: z.object({ total: z.int() }),
  key: (at: Space & { of: Counted; nth: number }) => ({ pk: partition(at, at.of), sk: padded(at.nth, 2) }),
})

const beginnings = entity({
  name: 'COUNTEDFROM',
  unbound: 'bounded',
  schema: z.object({ tenant_id: z.string() }),
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: key('T', tenant_id, 'live', 'HEADCOUNT'), sk: 'BEGINNING' }),
})

/** For the commit that founds a tenant: from now on all are counted. */
export const countFromHere = (tenant_id: string): Write => beginnings.insert({ tenant_id })

/** For the commit that adds (1) or removes (-1) the person or group. */
export function headCountWrite({ tenant_id, mode }: Space, of: Counted, id: string, by: number): Write {
  const nth = sha256(id).readUInt8() % ITEMS
  return headCounts.update({ tenant_id, mode, of, nth }, { add: { total: by } })
}

/** Undefined for a tenant that was founded before counting began. */
export async function headCount({ table, space }: Context, of: Counted): Promise<number | undefined> {
  const [begun, counts] = await Promise.all([
    table.get(beginnings, space),
    table.query(headCounts, { pk: partition(space, of) }),
  ])
  return begun && counts.reduce((sum, { total }) => sum + total, 0)
}
