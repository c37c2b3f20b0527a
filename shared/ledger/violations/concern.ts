// Which enabled frameworks have controls for a check that is told at once, without a run of checks. Whoever enables frameworks
// keeps it, because the layers that tell know no frameworks.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { partitionOf } from './violation.ts'

/** A broken chain, and a breach that the authority was not told of in time: wrong whether or not a framework asks for the check. */
export const TOLD_AT_ONCE: readonly string[] = ['EVD-01', 'PRV-04']

const Concern = z.object({ framework_ids: z.array(z.string()), control_ids: z.array(z.string()) })
export type Concern = z.output<typeof Concern>

export const concerns = entity({
  name: 'CONCERNS',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, checks: z.record(z.string(), Concern) }),
  key: (space: Space) => ({ pk: partitionOf(space), sk: 'TOLD' }),
})

export async function concernOf({ table, space }: Context, check_id: string): Promise<Concern> {
  const found = await table.get(concerns, space)
  return found?.checks[check_id] ?? { framework_ids: [], control_ids: [] }
}
