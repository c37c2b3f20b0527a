// Runs the parts of a full verification, one for each message. The part that ends last closes the pass with a verification,
// which reports the result.
import { type Context, systemContext } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Finding } from '../../ledger/evidence/chain/chain.ts'
import { checkCompleteness } from './completeness.ts'
import { startFullPass } from '../../ledger/evidence/verify/full-pass.ts'
import { verifySegment } from '../../ledger/evidence/verify/segment.ts'
import { passOn, takeTurn, type Turn, withPart } from '../../ledger/evidence/verify/leases.ts'
import type { Part, VerificationMessage } from '../../ledger/evidence/verify/verify-queue.ts'
import { verifyChain } from '../../ledger/evidence/verify/verify.ts'
import {
  changeState,
  type Completeness,
  type Job,
  type Trigger,
  type VerifyState,
} from '../../ledger/evidence/verify/verify-state.ts'

const FINDINGS_KEPT = 100

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
  const trigger = await finishPart(ctx, turn, result)
  if (trigger) await verifyChain(ctx, trigger)
}

type Result = { broken: Finding[]; completeness?: Completeness }

const resultOf = async (ctx: Context, part: Part): Promise<Result | { next: Part }> =>
  part.kind === 'segment' ? { broken: await verifySegment(ctx, part) } : checkCompleteness(ctx, part)

/** Stores what a part found. Returns the trigger of the pass when it was the last part. */
async function finishPart(ctx: Context, turn: Turn, result: Result): Promise<Trigger | undefined> {
  const { last_job } = await changeState(ctx, (state) => {
    const job = withPart(state.job, turn, undefined)
    if (!job) return undefined
    const broken = [...job.broken, ...result.broken].toSorted((a, b) => a.sequence - b.sequence)
    const completeness = result.completeness ?? job.completeness
    const next: Job = { ...job, broken: broken.slice(0, FINDINGS_KEPT), completeness }
    return next.open.length > 0 ? { ...state, job: next } : ended(ctx, state, next)
  })
  return last_job?.id === turn.job_id ? last_job.trigger : undefined
}

function ended(ctx: Context, state: VerifyState, { id, trigger, size, broken, completeness }: Job): VerifyState {
  const last_full = { at: iso(ctx.now()), size, result: broken.length > 0 ? ('broken' as const) : ('valid' as const) }
  return {
    ...state,
    job: undefined,
    given_up: undefined,
    last_job: { id, trigger },
    completeness: completeness ?? state.completeness,
    ...(size > 0 && { last_full: { ...last_full, broken } }),
  }
}
