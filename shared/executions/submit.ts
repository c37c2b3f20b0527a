// From a decision to a stored execution: run it, hold it, or refuse it, each in one transaction with its evidence.
import { hold } from '../approvals/hold.ts'
import type { Context } from '../context.ts'
import type { ArtifactFacts } from '../evidence/artifact.ts'
import { sealPayload } from '../evidence/seal.ts'
import { subjectRef } from '../evidence/subject-ref.ts'
import type { Decision } from '../governance/evaluate.ts'
import type { JsonObject } from '../http/door.ts'
import { iso } from '../lib/clock.ts'
import type { Write } from '../table/entity.ts'
import type { LoadedAction } from '../manifests/load.ts'
import type { Opened } from './answer.ts'
import {
  approvedEvent,
  rejectedEvent,
  ranEvents,
  submittedEvents,
  taskEvents,
  type Told,
  violationEvents,
} from './events.ts'
import { packEvaluations } from './evaluations.ts'
import { type Execution, executions, PAYLOAD_INLINE_BYTES, payloads } from './execution.ts'
import { runTarget } from './run-target.ts'
import { transition } from './store.ts'

export type Submission = {
  action: LoadedAction
  payload: JsonObject
  decision: Decision
  policy_set_version: string
  /** What the caller asked for, kept for a later re-check. */
  asked: Execution['asked']
  context?: JsonObject | undefined
  data_subject?: string | undefined
  /** The agent bound to the credential, or named by the request. */
  agent_id?: string | undefined
  decision_contract_id?: number | undefined
  latency_budget_ms?: number | undefined
  sandbox?: Sandbox | undefined
  /** Set for tasks of `/agent/execute`: the digest of the command. */
  command_sha256?: string | undefined
  /** The execution that this one undoes, and the id that the undo has reserved for it. */
  undo?: { of: string; id: string } | undefined
}

export type Sandbox = { outcome: 'success' | 'failure' | 'timeout'; delay_ms?: number | undefined }

/** SOFT actions can be undone for so long (overview.md, action tiers). */
export const UNDO_WINDOW_MS = 30_000

export type Submitted = { execution: Execution; opened: Opened }

export async function submit(ctx: Context, submission: Submission): Promise<Submitted> {
  const { decision, payload, action } = submission
  const { draft, writes } = await draftOf(ctx, submission)
  const opened: Opened = { payload }
  if (decision.outcome === 'reject') return { execution: await reject(ctx, submission, draft, writes), opened }
  if (decision.outcome === 'hold') return { execution: await hold(ctx, submission, draft, writes), opened }
  if (action.target || submission.sandbox) return runTarget(ctx, submission, draft, writes)
  return { execution: await runBrokered(ctx, submission, draft, writes), opened }
}

/** The execution before anything has happened to it, and the write of a payload too long to stand in it. */
async function draftOf(ctx: Context, submission: Submission): Promise<{ draft: Execution; writes: Write[] }> {
  const { action, decision, payload } = submission
  const { space, principal, request } = ctx
  const id = submission.undo?.id ?? ctx.id('exe')
  const keyName = submission.data_subject && (await subjectRef(space, submission.data_subject))
  const at = executions.key({ ...space, id })
  const sealed = await sealPayload(space, at, 'payload', payload, { keyName })
  const apart = sealed.sealed.length > PAYLOAD_INLINE_BYTES
  const latency_ms = Math.round(ctx.now() - request.at)
  const budget = submission.latency_budget_ms
  const draft: Execution = {
    ...space,
    id,
    status: 'submitted',
    node_id: action.node.id,
    action_id: action.endpoint.action_id,
    version: action.node.version,
    manifest_sha256: action.manifest_sha256,
    requested_by: { type: principal.kind, id: principal.id },
    persons: [...principal.persons],
    agent_id: submission.agent_id,
    trace_id: request.trace_id,
    correlation_id: request.correlation_id ?? request.request_id,
    decision_contract_id: submission.decision_contract_id,
    asked: submission.asked,
    context: submission.context && JSON.stringify(submission.context),
    routing: JSON.stringify({
      ...decision.routing_decision,
      ...(budget !== undefined && latency_ms > budget && { budget_exceeded: true }),
    }),
    evaluations: packEvaluations(decision.policy_evaluations),
    policy_set_version: submission.policy_set_version,
    latency_ms,
    retries: 0,
    ...(apart ? { payload_apart: true as const } : { payload: sealed.sealed }),
    payload_commitment: sealed.commitment,
    subject_ref: keyName || undefined,
    artifacts: [],
    undo_of: submission.undo?.of,
    ...(submission.command_sha256 && { task_id: id.replace('exe_', 'tsk_') }),
  }
  return { draft, writes: apart ? [payloads.insert({ ...space, id, payload: sealed.sealed })] : [] }
}

/** What the artifact of a decision says besides who and what. */
export function decisionFacts({ decision, decision_contract_id, policy_set_version }: Submission, draft: Execution) {
  const { tier, kind, risk, strategy, reasons } = decision.routing_decision
  const notPassed = decision.policy_evaluations.filter(({ result }) => result !== 'pass')
  return {
    decision_contract_id,
    decision: {
      tier,
      kind,
      risk,
      strategy,
      reasons: reasons.map(({ signal }) => signal),
      policy_set_version: policy_set_version.replace('sha256:', ''),
    },
    ...(notPassed.length > 0 && {
      policy_evaluations: notPassed.map(({ policy_id, result }) => ({ policy_id, result })),
    }),
    policies_passed: decision.policy_evaluations.length - notPassed.length,
    payload_commitment: draft.payload_commitment,
  } satisfies Partial<ArtifactFacts>
}

export const toldOf = (submission: Submission, execution: Execution): Told => ({
  execution,
  routing: submission.decision.routing_decision,
})

/** The events before an effect: submitted, raised by policies, and for SOFT approved at once. */
export function openingEvents(submission: Submission, told: Told) {
  const soft = submission.decision.outcome === 'run' && submission.decision.tier === 'SOFT'
  return [
    ...taskEvents(told, submission.command_sha256),
    ...submittedEvents(told),
    ...violationEvents(told, submission.decision.fired),
    ...(soft ? [approvedEvent(told, 'system', 'automatic')] : []),
  ]
}

/** Brokered: deciding is all we do, so the action is executed with this transaction and the caller acts. */
async function runBrokered(ctx: Context, submission: Submission, draft: Execution, writes: Write[]) {
  const { request } = ctx
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
        const told = toldOf(submission, stored)
        return [...openingEvents(submission, told), ...ranEvents(told, request.at, now)]
      },
    },
  ])
  await ctx.table.commit([...writes, ...moves], execution.id)
  return execution
}

async function reject(ctx: Context, submission: Submission, draft: Execution, writes: Write[]) {
  const { policy_id, message } = submission.decision.rejection ?? { policy_id: 'policy', message: '' }
  const rejection = { policy_id, detail: `Rejected by policy ${policy_id}${message && `: ${message}`}` }
  const next: Execution = { ...draft, status: 'rejected', answered: 'rejected', rejection }
  const { execution, writes: moves } = transition(ctx, undefined, next, [
    {
      facts: { type: 'action.rejected', ...decisionFacts(submission, draft) },
      events: (stored) => {
        const told = toldOf(submission, stored)
        const by = `policy:${policy_id}`
        return [
          ...openingEvents(submission, told),
          rejectedEvent(told, { approval_id: null, by, method: 'policy', reason: rejection.detail }),
        ]
      },
    },
  ])
  await ctx.table.commit([...writes, ...moves], execution.id)
  return execution
}
