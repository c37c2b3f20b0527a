// The parts of a full pass, each run by whoever takes its message. The last one to end closes the pass with a verification,
// which tells its result.
import { type Context, systemContext } from '../context.ts'
import { iso } from '../lib/clock.ts'
import type { Finding } from './chain.ts'
import { checkCompleteness } from './completeness.ts'
import { startFullPass } from './full-pass.ts'
import { verifySegment } from './segment.ts'
import { enqueue, type Part, partName, type VerificationMessage } from './verify-queue.ts'
import { verifyChain } from './verify.ts'
import { changeState, type Completeness, type Job, type Trigger, type VerifyState } from './verify-state.ts'

const FINDINGS_KEPT = 100

/** Does what one message asks for. A message that comes twice changes nothing. */
export async function continueFullPass(message: VerificationMessage): Promise<void> {
  const { tenant_id, mode, job_id, part } = message
  const ctx = systemContext({ tenant_id, mode })
  if (job_id === undefined || part === undefined) return void (await startFullPass(ctx, 'schedule'))
  const result = await resultOf(ctx, part)
  if ('next' in result) return enqueue([{ ...message, part: result.next }])
  const trigger = await finishPart(ctx, job_id, part, result)
  if (trigger) await verifyChain(ctx, trigger)
}

type Result = { broken: Finding[]; completeness?: Completeness }

const resultOf = async (ctx: Context, part: Part): Promise<Result | { next: Part }> =>
  part.kind === 'segment' ? { broken: await verifySegment(ctx, part) } : checkCompleteness(ctx, part)

/** Notes what a part found. Answers the trigger of the pass when it was the last one. */
async function finishPart(ctx: Context, job_id: string, part: Part, result: Result): Promise<Trigger | undefined> {
  const { last_job } = await changeState(ctx, (state) => {
    const { job } = state
    if (job?.id !== job_id || !job.open.includes(partName(part))) return undefined
    const next: Job = {
      ...job,
      open: job.open.filter((name) => name !== partName(part)),
      broken: [...job.broken, ...result.broken].toSorted((a, b) => a.sequence - b.sequence).slice(0, FINDINGS_KEPT),
      completeness: result.completeness ?? job.completeness,
    }
    return next.open.length > 0 ? { ...state, job: next } : ended(ctx, state, next)
  })
  return last_job?.id === job_id ? last_job.trigger : undefined
}

function ended(ctx: Context, state: VerifyState, { id, trigger, size, broken, completeness }: Job): VerifyState {
  const last_full = { at: iso(ctx.now()), size, result: broken.length > 0 ? ('broken' as const) : ('valid' as const) }
  return {
    ...state,
    job: undefined,
    last_job: { id, trigger },
    completeness: completeness ?? state.completeness,
    ...(size > 0 && { last_full: { ...last_full, broken } }),
  }
}
