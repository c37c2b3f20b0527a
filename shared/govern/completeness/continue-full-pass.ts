// Runs the parts of a full verification, one for each message. The part that ends last closes the pass with a verification,
// which reports the result.
import { type Context, systemContext } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { given } from '../../base/lib/json.ts'
import { checkCompleteness } from './completeness.ts'
import { startFullPass } from '../../ledger/evidence/verify/full-pass.ts'
import { verifySegment } from '../../ledger/evidence/verify/segment.ts'
import { givenUp, passOn, takeTurn, type Turn, withPart } from '../../ledger/evidence/verify/leases.ts'
import { donePart, findingsOf, isWhole, type PartResult } from '../../ledger/evidence/verify/pass-seals.ts'
import { sealed } from '../../ledger/evidence/verify/results.ts'
import type { Part, VerificationMessage } from '../../ledger/evidence/verify/verify-queue.ts'
import { verifyChain } from '../../ledger/evidence/verify/verify.ts'
import {
  changeState,
  type DonePart,
  type Job,
  type Trigger,
  type VerifyState,
} from '../../ledger/evidence/verify/verify-state.ts'

/** Runs the part of one message. A message that comes twice, or whose part was taken over, changes nothing. */
export async function continueFullPass({ tenant_id, mode, job_id, part, turn }: VerificationMessage): Promise<void> {
  const ctx = systemContext({ tenant_id, mode })
  if (job_id === undefined || !part || turn === undefined) return void (await startFullPass(ctx, 'schedule'))
  await continuePart(ctx, { job_id, part, turn })
}

async function continuePart(ctx: Context, turn: Turn): Promise<void> {
  const part = await takeTurn(ctx, turn)
  if (!part) return
  const result = await resultOf(ctx, part)
  if ('next' in result) return passOn(ctx, turn, result.next)
  const trigger = await finishPart(ctx, turn, await donePart(ctx, turn.job_id, part, result))
  if (trigger) await verifyChain(ctx, trigger)
}

const resultOf = async (ctx: Context, part: Part): Promise<PartResult | { next: Part }> =>
  part.kind === 'segment' ? verifySegment(ctx, part) : checkCompleteness(ctx, part)

/** Stores what a part found. Returns the trigger of the pass when it was the last part. */
async function finishPart(ctx: Context, turn: Turn, done: DonePart): Promise<Trigger | undefined> {
  const { last_job } = await changeState(ctx, (state) => {
    const job = withPart(state.job, turn, undefined)
    if (!job) return undefined
    const next: Job = { ...job, done: [...job.done, done] }
    return next.open.length > 0 ? { ...state, job: next } : ended(ctx, state, next)
  })
  return last_job?.id === turn.job_id ? last_job.trigger : undefined
}

async function ended(ctx: Context, state: VerifyState, job: Job): Promise<VerifyState> {
  if (!(await isWhole(ctx, job))) return givenUp(ctx, state, 'parts of a full pass are missing or not of the service')
  const { id, trigger, plan, done } = job
  const broken = findingsOf(job)
  const result = broken.length > 0 ? ('broken' as const) : ('valid' as const)
  const retention = done
    .flatMap((part) => part.retention ?? [])
    .toSorted()
    .at(-1)
  const last_full = {
    began_at: plan.began_at,
    at: iso(ctx.now()),
    size: plan.size,
    result,
    broken,
    ...given({ retention }),
  }
  const completeness = done.find((part) => part.completeness)?.completeness
  return {
    ...state,
    ...(await sealed(ctx, { completeness, ...(plan.size > 0 && { last_full }) })),
    job: undefined,
    given_up: undefined,
    last_job: { id, trigger },
  }
}
