// Runs actions with a target: commits the intention, calls the target, commits the outcome. If the process dies in between, the sweeper
// continues from the stored state after the lease has run out (protocol/resume.ts).
import type * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { sealPayload } from '../../../ledger/sealing/seal.ts'
import type { JsonObject } from '../../../base/wire/parse-body.ts'
import type { Json } from '../../../base/lib/json.ts'
import { lease } from '../../../base/kernel/lease.ts'
import { iso } from '../../../base/lib/clock.ts'
import { giveBack } from '../../limits/counting.ts'
import { timeOfId } from '../../../base/lib/ids.ts'
import type { LoadedAction } from '../../manifests/load.ts'
import { openTarget, type Target } from '../../manifests/open-target.ts'
import type { Following, Stored, Write } from '../../../base/table/entity.ts'
import type { ThroughConnection } from '../call-connection.ts'
import { type Calls, callTarget, type TargetOutcome } from '../call-target.ts'
import { UNDO_WINDOW_MS } from '../../../base/limits/published.ts'
import { type Execution, executions, type RoutingDecision } from '../execution.ts'
import { routingText, transition } from '../store.ts'
import { conducted, decided, personalData, ran, triedRun } from '../measures.ts'
import { recentOutputs } from '../recent-actions.ts'
import { decisionFacts, eventFacts, firstEvents } from '../first-transaction.ts'
import { ranEvents } from '../events.ts'
import { foundInOutput, piiWrites } from '../payload.ts'
import { settleUndoOf } from './settle-undo-of.ts'
import type { Submission, Submitted } from '../submission.ts'

/** The longest time of all calls of one process, and the margin before another process may take over. */
const CALLS_MS = 25_000
const MARGIN_MS = 5_000

/** The process that commits one makes the call, or continues the undo. */
export const callTurns = /* @__PURE__ */ lease(executions, CALLS_MS + MARGIN_MS, {
  of: ({ lease_until }) => lease_until,
  until: (end) => ({ lease_until: iso(end) }),
})

/**
 * Stores the execution as `executing` with a lease, calls the target and commits the outcome. A call is never made before its execution is
 * stored: the target could have acted without evidence. `writes` join the first commit.
 */
export async function runTarget(
  ctx: Context,
  submission: Submission,
  draft: Execution,
  writes: readonly (Write | Following)[],
): Promise<Submitted> {
  const { action, payload } = submission
  const target = await readyTarget(ctx, action)
  const next: Execution = { ...draft, status: 'executing', ...callTurns.until(ctx.now()), attempt: 1 }
  const { execution, writes: moves } = transition(ctx, undefined, next, [
    {
      facts: { type: 'action.requested', ...decisionFacts(submission, draft) },
      events: (stored) => firstEvents(submission, eventFacts(submission, stored)),
      measures: decided(submission, draft),
    },
  ])
  await ctx.table.commit([...writes, ...moves], execution.id)
  return perform(ctx, execution, { action, target, payload })
}

/** Opens the secrets of a call before anything is committed, because that may fail. Undefined in test mode, which calls nothing. */
export async function readyTarget(ctx: Context, action: LoadedAction): Promise<ReadyTarget | undefined> {
  if (ctx.space.mode === 'test') return undefined
  const { target, endpoint } = action
  if (target?.type !== 'connection') return openTarget(ctx, action)
  return { connection: target, idempotent: endpoint.idempotency ?? false } // opening it may call its provider
}

type ReadyTarget = Target | ThroughConnection

export type Performance = {
  action: LoadedAction
  /** Undefined in test mode. */
  target: ReadyTarget | undefined
  payload: JsonObject
  approval?: { id: string; approved_by: string; approved_at: string; action_digest: string } | undefined
}

/** Calls the target of an execution that is `executing` and commits the outcome. */
export async function perform(ctx: Context, was: Stored<Execution>, performance: Performance): Promise<Submitted> {
  const { action, target, payload } = performance
  let stored = was
  // Each call is counted before it is made, so that all processes together never exceed the limit.
  const count = async (attempt: number) => {
    const next: Execution = { ...stored, attempt }
    await ctx.table.commit([executions.replace(next, stored)])
    stored = { ...next, _v: stored._v + 1 }
  }
  const outcome = target
    ? await called(ctx, was, { ...performance, target }, { first: was.attempt ?? 1, count })
    : await (await import('./simulate.ts')).simulate(ctx, action.endpoint, was.sandbox)
  const execution = await conclude(ctx, stored, outcome, payload)
  const output = outcome.status === 'executed' ? outcome.output : undefined
  return { execution, opened: { payload, output } }
}

type Called = Performance & { target: ReadyTarget }

async function called(ctx: Context, was: Execution, performance: Called, calls: Calls): Promise<TargetOutcome> {
  const { target, payload } = performance
  if (!('connection' in target)) return callTarget(ctx, target, messageTo(was, performance), calls)
  const { callConnection } = await import('../call-connection.ts')
  return callConnection(ctx, target, { request_id: was.id, payload }, calls)
}

/**
 * Commits the outcome of a call: the state, the sealed output, its evidence, and what a failed call gives back to limits. `payload`: if the
 * caller has it. A second process that concludes the same call gets a 409, and nothing is counted twice.
 */
export async function conclude(
  ctx: Context,
  was: Stored<Execution>,
  outcome: TargetOutcome,
  payload?: JsonObject,
): Promise<Stored<Execution>> {
  const now = ctx.now()
  const routing: z.output<typeof RoutingDecision> = JSON.parse(was.routing)
  const executed = outcome.status === 'executed'
  const created = executed && outcome.created && { created: true as const }
  const sealed = executed ? await sealOutput(ctx, was, outcome.output) : undefined
  const found = executed ? await foundInOutput(ctx, outcome.output) : undefined
  const first = was.answered === undefined
  // A process that takes over has not seen the start of the request.
  const startedAt = first ? Math.min(ctx.request.at, timeOfId(was.id)) : ctx.request.at
  const next: Execution = {
    ...was,
    ...(first && firstReceipt(was, routing, { latency_ms: Math.round(now - startedAt), retries: outcome.retries })),
    status: outcome.status,
    answered: was.answered ?? outcome.status,
    lease_until: undefined,
    ...(sealed && { output: sealed.sealed, executed_at: iso(now) }),
    ...created,
    ...(was.mode === 'test' && { simulated: true as const }),
    ...(!executed && { error: outcome.error }),
    ...(executed && routing.tier === 'SOFT' && { undo_until: iso(now + UNDO_WINDOW_MS) }),
  }
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: {
        type: 'protocol.executed',
        outcome: executed ? 'succeeded' : outcome.status === 'failed' ? 'failed' : 'unknown',
        ...(!executed && { error_code: outcome.error.code }),
        latency_ms: next.latency_ms,
        retries: outcome.retries,
        payload_commitment: was.payload_commitment,
        ...(sealed && { result_commitment: sealed.commitment }),
        ...(created && { data: created }),
      },
      events: (stored) => ranEvents({ execution: stored, routing }, now - startedAt),
      measures: [
        ...ran(executed ? 'ok' : outcome.status === 'failed' ? 'failed' : 'unknown', {
          tier: routing.tier,
          ms: first ? now - startedAt : null,
          output: executed ? outcome.output : undefined,
          payload,
          estimated: executed && outcome.estimated,
        }),
        ...(outcome.status === 'outcome_unknown'
          ? []
          : [...conducted(was, executed ? 'ok' : 'failed'), ...triedRun(was, executed, routing.tier === 'SOFT')]),
        ...personalData(found),
      ],
    },
  ])
  const marks = await recentOutputs(ctx, was, found)
  const back = outcome.status === 'failed' ? giveBack(ctx, was.counted, 'failed') : []
  await ctx.table.commit([...writes, ...piiWrites(ctx, execution, found), ...marks, ...back])
  await settleUndoOf(ctx, execution)
  return execution
}

/** Completes the receipt of the first answer. A held action was answered before, and its receipt never changes. */
const firstReceipt = (
  { latency_budget_ms }: Execution,
  routing: z.output<typeof RoutingDecision>,
  { latency_ms, retries }: { latency_ms: number; retries: number },
) => ({ latency_ms, retries, routing: routingText(routing, { latency_ms, latency_budget_ms }) })

const sealOutput = (ctx: Context, was: Execution, output: Json) =>
  sealPayload(ctx.space, executions.key(was), 'output', output, { keyName: was.subject_ref })

/** The body that a target is sent. */
function messageTo(execution: Execution, { payload, approval }: Performance) {
  const routing: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
  return {
    request_id: execution.id,
    trace_id: execution.trace_id,
    correlation_id: execution.correlation_id,
    tenant_id: execution.tenant_id,
    node_id: execution.node_id,
    action_id: execution.action_id,
    version: execution.version,
    tier: routing.tier,
    payload,
    ...(approval && { approval }),
    ...(execution.undo_of && { undo_of: execution.undo_of }),
    requested_evidence_hash: execution.artifacts[0]?.hash,
  }
}
