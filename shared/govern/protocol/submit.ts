// Stores the execution of a decision: it runs, is held or is rejected, each in one transaction with its evidence. Where limits count the
// action, it is decided on again until decision and counters agree, however many others count at the same time.
import { limitUseOf, GrantEnded } from '../approvals/limit-use.ts'
import { approvals } from '../approvals/approval.ts'
import type { Serving } from '../approvals/grants/use.ts'
import { HeldAlready, hold } from '../approvals/hold.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import { conductedAtOnce, decided, isViolation, ran, triedRun } from '../executions/measures.ts'
import { ranEvents, type Refusal, rejectedEvent, rejectionOf } from '../executions/events.ts'
import { UNDO_WINDOW_MS } from '../../base/limits/published.ts'
import { effectOf } from '../executions/built-in-effects.ts'
import type { Execution } from '../executions/execution.ts'
import { committedFresh, draftOf, type Submission, type Submitted } from '../executions/submission.ts'
import { decisionFacts, eventFacts, firstEvents } from '../executions/first-transaction.ts'
import { runTarget } from '../executions/target/run.ts'
import { transition } from '../executions/store.ts'
import { Failure } from '../../base/lib/failure.ts'
import { retry, wroteNothing } from '../../base/kernel/retry.ts'
import { Contended } from '../../base/table/table.ts'
import { countedAt, learnFrom, Recount, release, reserve, type Stage } from '../limits/counting.ts'
import type { Reserved } from '../limits/weigh.ts'

type Writes = readonly (Write | Following)[]

/**
 * Afterwards the execution is stored as run, held or rejected, with its evidence. An equal request of the same caller that still waits for
 * people answers instead: models and clients ask again for a pending action, and nobody should be asked twice. Then nothing is stored but
 * the answer for the Idempotency-Key, if the request has one. Decides nothing itself: a decision that is too old, or whose counters have
 * changed, is made anew. Throws 503 if too many others count at the same time. After a crash either all of the first transaction is
 * there or nothing, and the same Idempotency-Key repeats safely.
 */
export const submit = (ctx: Context, submission: Submission): Promise<Submitted> =>
  committedFresh(submission, (fresh) => (fresh.counting ? submitCounted(ctx, fresh, store) : store(ctx, fresh)))

async function store(ctx: Context, submission: Submission): Promise<Submitted> {
  const { decision, payload } = submission
  const { draft, writes } = await draftOf(ctx, submission)
  const opened = { payload }
  if (decision.rejection?.policy_id === 'approval_flood') {
    const pending = await pendingTwin(ctx, submission)
    if (pending) return pending
  }
  if (decision.rejection) {
    return { execution: await reject(ctx, submission, draft, writes, decision.rejection), opened }
  }
  const held = async () => (await pendingTwin(ctx, submission)) ?? holdOnce(ctx, submission, draft, writes)
  if (decision.outcome !== 'hold') return run(ctx, submission, draft, writes)
  const grant = await grantFor(ctx, submission)
  if (!grant) return held()
  const tally = await limitUseOf(ctx, { execution: draft, counting: submission.counting })
  const granted = { ...draft, grant_id: grant.id, counted: tally.counted }
  return run(ctx, submission, granted, [...writes, ...grant.writes(draft.id), ...tally.writes]).catch(
    (error: unknown) => {
      if (error instanceof GrantEnded) return held()
      throw error
    },
  )
}

/** Of equal requests at the same moment one is held, and answers the others. */
async function holdOnce(ctx: Context, submission: Submission, draft: Execution, writes: Writes): Promise<Submitted> {
  const { past, payload } = submission
  const asOwn = async (one: Submission) => ({ execution: await hold(ctx, one, draft, writes), opened: { payload } })
  try {
    return await asOwn(submission)
  } catch (error) {
    if (!past || !(error instanceof HeldAlready)) throw error
    const first = await ctx.table.get(approvals, { ...ctx.space, id: error.approval_id })
    const twin = await pendingTwin(ctx, { ...submission, past: { ...past, waiting: first?.request_id } })
    return twin ?? asOwn({ ...submission, past: { repeat_key: past.repeat_key } })
  }
}

/** The equal request that waits. Undefined also if the first transaction changes more than the execution itself. */
async function pendingTwin(ctx: Context, submission: Submission): Promise<Submitted | undefined> {
  const { past, undo, task, own } = submission
  if (past?.waiting === undefined || undo || task || own) return undefined
  const { openExecution, refToEqual } = await import('../executions/sealed/open-execution.ts')
  const { execution, opened } = await openExecution(ctx, past.waiting)
  if (execution.status !== 'pending_approval') return undefined
  // From now on the Idempotency-Key gives the same answer, also once the equal request was decided.
  if (ctx.table.joining) await ctx.table.commit([], refToEqual(execution.id))
  return { execution, opened, repeated: true }
}

/** The grant under which a held action may run. It is looked for only where every policy that asks for approval permits one. */
async function grantFor(ctx: Context, submission: Submission): Promise<Serving | undefined> {
  const { decision, undo, task } = submission
  // The authors of a task may have given the grant, and must not approve what it does.
  if (!decision.grant || undo || task) return undefined
  return (await import('../approvals/grants/use.ts')).servingGrant(ctx, submission)
}

async function run(ctx: Context, submission: Submission, draft: Execution, writes: Writes): Promise<Submitted> {
  const { action, payload, sandbox, marks } = submission
  const all = [...writes, ...marks]
  if (action.target || sandbox) return runTarget(ctx, submission, draft, all)
  return { execution: await runBrokered(ctx, submission, draft, all), opened: { payload } }
}

/** Brokered: the action has no target, so it counts as executed with this transaction, and the caller carries it out. */
async function runBrokered(ctx: Context, submission: Submission, draft: Execution, writes: Writes) {
  const effect = await effectOf(ctx, draft, submission.payload)
  const now = ctx.now()
  const next: Execution = {
    ...draft,
    status: 'executed',
    answered: 'executed',
    executed_at: iso(now),
    ...(submission.decision.tier === 'SOFT' && { undo_until: iso(now + UNDO_WINDOW_MS) }),
  }
  const { execution, writes: moves } = transition(ctx, undefined, next, [
    {
      facts: {
        type: 'protocol.executed',
        ...decisionFacts(submission, draft),
        outcome: 'succeeded',
        latency_ms: draft.latency_ms,
        retries: 0,
      },
      events: (stored) => {
        const facts = eventFacts(submission, stored)
        return [...firstEvents(submission, facts), ...ranEvents(facts, now - ctx.request.at)]
      },
      measures: [
        ...decided(submission, draft),
        ...ran('ok', { tier: submission.decision.tier, ms: now - ctx.request.at, payload: submission.payload }),
        ...conductedAtOnce(draft, 'ok'),
        ...triedRun(draft, true, submission.decision.tier === 'SOFT'),
        ...effect.measures,
      ],
    },
  ])
  await ctx.table.commit([...writes, ...moves, ...effect.writes], execution.id)
  return execution
}

async function reject(ctx: Context, submission: Submission, draft: Execution, writes: Writes, cause: Refusal) {
  const rejection = rejectionOf(cause)
  const next: Execution = { ...draft, status: 'rejected', answered: 'rejected', rejection }
  const { execution, writes: moves } = transition(ctx, undefined, next, [
    {
      facts: { type: 'action.rejected', ...decisionFacts(submission, draft) },
      events: (stored) => {
        const facts = eventFacts(submission, stored)
        const by = `policy:${cause.policy_id}`
        return [
          ...firstEvents(submission, facts),
          rejectedEvent(facts, { approval_id: null, by, method: 'policy', reason: rejection.detail }),
        ]
      },
      measures: [...decided(submission, draft), ...(isViolation(cause) ? conductedAtOnce(draft, 'violations') : [])],
    },
  ])
  await ctx.table.commit([...writes, ...moves], execution.id)
  return execution
}

type Store = (ctx: Context, submission: Submission) => Promise<Submitted>

/** How often one request is decided on. */
const ROUNDS_MAX = 3
const COLLISIONS_MAX = 8

const busy = () =>
  new Failure(
    'unavailable',
    'Too many actions are counted at once. Nothing was changed. Repeat the request in a second.',
    {
      code: 'busy',
      retryAfterSeconds: 1,
    },
  )

/** Shares that were reserved for an action that then did not run are given back. */
async function submitCounted(ctx: Context, first: Submission, storeDecided: Store): Promise<Submitted> {
  const reserved: Reserved = first.counting?.reserved ?? new Map()
  const { length } = ctx.table.committed
  try {
    const { submitted, kept } = await submitInRounds(ctx, first, storeDecided)
    await release(ctx, reserved, kept)
    return submitted
  } catch (error) {
    const isStored = ctx.table.committed.length > length
    if (!isStored && wroteNothing(error)) await release(ctx, reserved)
    throw error
  }
}

/** Decides anew when a counter has changed, and reserves where others count in the same moment. */
async function submitInRounds(ctx: Context, first: Submission, storeDecided: Store) {
  let submission = first
  const round = async () => {
    const { counting, decision } = submission
    if (counting) await reserve(ctx, counting, decision.outcome)
    const submitted = await storeDecided(ctx, submission)
    const stages: Stage[] = [decision.outcome, ...(submitted.execution.grant_id ? ['claim' as const] : [])]
    // An equal request that waits was counted when it was stored.
    return { submitted, kept: submitted.repeated ? undefined : counting && countedAt(counting, stages) }
  }
  const learning = () =>
    round().catch((error: unknown) => {
      throw learnFrom(ctx, error)
    })
  const decideAnew = async () => {
    submission = { ...submission, ...(await submission.again()) }
  }
  return retry(learning, [
    { is: (error) => error instanceof Contended, tries: COLLISIONS_MAX, spent: busy },
    { is: (error) => error instanceof Recount, tries: ROUNDS_MAX, pause: decideAnew, spent: busy },
  ])
}
