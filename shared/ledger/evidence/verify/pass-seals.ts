// Seals of a full pass. Its plan, the position of each part and the findings of each part are kept in the table between the
// functions that work on it, and somebody who can write to the table could cut them.
import type { Context } from '../../../base/context.ts'
import { given } from '../../../base/lib/json.ts'
import { isSealed, sealOf } from '../artifact/record.ts'
import type { Finding } from '../chain/chain.ts'
import { type Part, partName } from './verify-queue.ts'
import type { DonePart, Job, OpenPart } from './verify-state.ts'

/** Of one part, so that the item holds those of 200 parts; and of a pass. */
const OF_PART = 20
const OF_PASS = 100

export const sealedPlan = ({ space }: Context, id: string, plan: Job['plan']): Promise<string> =>
  sealOf(space, 'pass', { id, ...plan })

export const sealedPart = ({ space }: Context, job_id: string, part: Part): Promise<string> =>
  sealOf(space, 'part', { job_id, part })

export const isOwnPart = ({ space }: Context, job_id: string, { part, seal }: OpenPart): Promise<boolean> =>
  isSealed(space, 'part', { job_id, part }, seal)

export type PartResult = Pick<Partial<DonePart>, 'completeness' | 'retention'> & { broken: readonly Finding[] }

export async function donePart(
  { space }: Context,
  job_id: string,
  part: Part,
  { broken, ...found }: PartResult,
): Promise<DonePart> {
  const result = { name: partName(part), broken: broken.slice(0, OF_PART), ...given(found) }
  return { ...result, seal: await sealOf(space, 'part-result', { job_id, ...result }) }
}

/** Whether each planned part has ended, and the service wrote what each found. */
export async function isWhole({ space }: Context, { id, plan, seal, done }: Job): Promise<boolean> {
  if (done.length !== plan.parts || new Set(done.map(({ name }) => name)).size !== done.length) return false
  const seals = await Promise.all([
    isSealed(space, 'pass', { id, ...plan }, seal),
    ...done.map(({ seal: of, ...result }) => isSealed(space, 'part-result', { job_id: id, ...result }, of)),
  ])
  return seals.every(Boolean)
}

/** What all parts found, in the order of the chain. */
export const findingsOf = ({ done }: Job): Finding[] =>
  done
    .flatMap(({ broken }) => broken)
    .toSorted((a, b) => a.sequence - b.sequence)
    .slice(0, OF_PASS)
