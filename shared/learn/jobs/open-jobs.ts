// The jobs of a space that have not ended: one attribute each, so that a job leaves without regard to the others.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { entity, type Write } from '../../base/table/entity.ts'
import { type Job, jobs, jobsPartition } from './job.ts'

export const OPEN_MAX = 2

const openJobs = entity({
  name: 'OPENJOBS',
  unbound: 'bounded',
  schema: z.looseObject({}),
  key: (space: Space) => ({ pk: jobsPartition(space), sk: 'OPEN' }),
})

/** What the training of a space consists of now. */
export async function openJobsOf({ table, space }: Context): Promise<Job[]> {
  const ids = idsIn(await table.get(openJobs, space))
  return table.getAll(
    jobs,
    ids.map((id) => ({ ...space, id })),
  )
}

const idsIn = (found: object | undefined): string[] =>
  Object.keys(found ?? {}).filter((name) => name.startsWith('job_'))

/** Throws 409 when too many are open. Goes into the commit that makes the job. */
export async function openOne({ table, space }: Context, id: string): Promise<Write> {
  const found = await table.get(openJobs, space)
  if (idsIn(found).length >= OPEN_MAX) {
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
