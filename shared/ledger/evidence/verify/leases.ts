// Leases of the parts of a full pass. A part whose lease has expired was lost with its function, so another function takes
// it over. A pass with a part that nobody can finish is given up, which its answer shows.
import type { Context } from '../../../base/context.ts'
import { isHeld } from '../../../base/kernel/lease.ts'
import { iso, within } from '../../../base/lib/clock.ts'
import { alarm } from '../../../base/lib/log.ts'
import { chainName } from '../artifact/hashes.ts'
import { isOwnPart, sealedPart } from './pass-seals.ts'
import { enqueue, type Part, partName } from './verify-queue.ts'
import { changeState, type Job, type OpenPart, type VerifyState } from './verify-state.ts'

/** How long a part may wait in the queue, and how long one turn may take, which is longer than its function may run. */
const QUEUED_MS = 15 * 60_000
const TURN_MS = 90_000
const TRIES_MAX = 5
const GIVEN_UP = `a part of a full pass failed ${TRIES_MAX} times`
/** Passes are daily, so an older result is overdue. */
const FRESH_MS = 26 * 3_600_000

export const waitingPart = (ctx: Context, part: Pick<OpenPart, 'part' | 'seal'>, turn = 1, tries = 1): OpenPart => ({
  ...part,
  turn,
  tries,
  until: iso(ctx.now() + QUEUED_MS),
})

/** Whether all open parts have a valid lease. */
export const isUnderWay = ({ open }: Job, now: number): boolean =>
  open.every(({ until }) => isHeld(until, now, QUEUED_MS))

/** Whether the result of that time is too old, or the next pass is stuck. */
export function isStale(state: Pick<VerifyState, 'job' | 'given_up'> | undefined, at: string | undefined, now: number) {
  if (at === undefined || !within(FRESH_MS, Date.parse(at), now)) return true
  return state?.given_up !== undefined || (state?.job !== undefined && !isUnderWay(state.job, now))
}

/** The content of a message: its pass, part and turn. */
export type Turn = { job_id: string; part: Part; turn: number }

const isSame = (one: OpenPart, { part, turn }: Turn) => partName(one.part) === partName(part) && one.turn === turn

/** The part in the state; undefined when it has ended or another message has the turn. */
const heldBy = (job: Job | undefined, turn: Turn): OpenPart | undefined =>
  job?.id === turn.job_id ? job.open.find((one) => isSame(one, turn)) : undefined

/** The pass with that part replaced, or removed at its end; undefined when another message has the turn. */
export function withPart(job: Job | undefined, turn: Turn, next: OpenPart | undefined): Job | undefined {
  const held = heldBy(job, turn)
  return job && held && { ...job, open: job.open.flatMap((one) => (one === held ? (next ?? []) : one)) }
}

/**
 * Starts the turn of a message. Returns the part with its progress; undefined when there is nothing left to do, and for a part
 * that the service did not write, which nobody can finish.
 */
export async function takeTurn(ctx: Context, turn: Turn): Promise<Part | undefined> {
  const { job } = await changeState(ctx, (state) => {
    const held = heldBy(state.job, turn)
    return held && { ...state, job: withPart(state.job, turn, { ...held, until: iso(ctx.now() + TURN_MS) }) }
  })
  const held = heldBy(job, turn)
  if (!held || (await isOwnPart(ctx, turn.job_id, held))) return held?.part
  alarm('evidence.result_forged', new Error('a part of a full pass is not of the service'), {
    chain: chainName(ctx.space),
  })
  return undefined
}

/** Passes a part with its progress to the next message. */
export async function passOn(ctx: Context, turn: Turn, part: Part): Promise<void> {
  const next = waitingPart(ctx, { part, seal: await sealedPart(ctx, turn.job_id, part) }, turn.turn + 1)
  let mine = false
  await changeState(ctx, (state) => {
    const job = withPart(state.job, turn, next)
    mine = job !== undefined
    return job && { ...state, job }
  })
  if (mine) await enqueueParts(ctx, turn.job_id, [next])
}

export const enqueueParts = (ctx: Context, job_id: string, parts: readonly OpenPart[]): Promise<void> =>
  enqueue(parts.map(({ part, turn }) => ({ ...ctx.space, job_id, part, turn })))

/** Enqueues the parts whose lease has expired. */
export async function resumeFullPass(ctx: Context): Promise<void> {
  let again: OpenPart[] = []
  const { job } = await changeState(ctx, (state) => {
    again = lostParts(ctx, state.job)
    if (!state.job || again.length === 0) return undefined
    if (again.some(({ tries }) => tries > TRIES_MAX)) return givenUp(ctx, state, GIVEN_UP)
    const named = new Map(again.map((one) => [partName(one.part), one]))
    return { ...state, job: { ...state.job, open: state.job.open.map((one) => named.get(partName(one.part)) ?? one) } }
  })
  if (job) await enqueueParts(ctx, job.id, again)
}

/** The expired parts with their next turn. */
const lostParts = (ctx: Context, job: Job | undefined): OpenPart[] =>
  (job?.open ?? [])
    .filter(({ until }) => !isHeld(until, ctx.now(), QUEUED_MS))
    .map(({ part, seal, turn, tries }) => waitingPart(ctx, { part, seal }, turn + 1, tries + 1))

/** The state without the pass, whose results are not used. */
export function givenUp(ctx: Context, state: VerifyState, reason: string): VerifyState {
  alarm('evidence.pass_given_up', new Error(reason), { chain: chainName(ctx.space) })
  return { ...state, job: undefined, given_up: iso(ctx.now()) }
}
