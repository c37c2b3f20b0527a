// The jobs of a space that have not ended: one attribute each, so that a job leaves without regard to the others.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { Overtaken } from '../../base/table/retry.ts'
import { entity, type Write } from '../../base/table/entity.ts'
import { jobsPartition } from './job.ts'

const OPEN_MAX = 2

const openJobs = entity({
  name: 'OPENJOBS',
  schema: z.looseObject({}),
  key: (space: Space) => ({ pk: jobsPartition(space), sk: 'OPEN' }),
})

/** Throws 409 when too many are open. Goes into the commit that makes the job. */
export async function openOne({ table, space }: Context, id: string): Promise<Write> {
  const found = await table.get(openJobs, space)
  const open = Object.keys(found ?? {}).filter((name) => name.startsWith('job_'))
  if (open.length >= OPEN_MAX) {
    throw conflict(`You have ${OPEN_MAX} open training jobs already. Wait until one has ended, or cancel it.`)
  }
  const set = { [id]: true, _type: openJobs.name }
  const condition = found
    ? { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': found._v } }
    : { expression: 'attribute_not_exists(pk)' }
  return openJobs.update(space, { set, condition }, new Overtaken())
}

/** Goes into the commit that ends the job. */
export const closeOne = ({ space }: Context, id: string): Write => openJobs.update(space, { remove: [id] })
