// The queue of spaces that have something to count.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { queue, sendMany } from '../../base/kernel/queue.ts'
import { inGroups } from '../../base/lib/in-parallel.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const measurements = queue('measure', z.object({ spaces: z.array(z.object(spaceMembers)) }))

const SPACES_PER_MESSAGE = 25

/** Hands spaces that have something to count to the worker `measure`; a space named twice is counted once. */
export async function enqueueSpaces(all: readonly Space[]): Promise<void> {
  const distinct = new Map(all.map(({ tenant_id, mode }) => [`${tenant_id}#${mode}`, { tenant_id, mode }])).values()
  await sendMany(
    measurements,
    inGroups([...distinct], SPACES_PER_MESSAGE).map((spaces) => ({ spaces })),
  )
}
