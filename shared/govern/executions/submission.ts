// An action with its decision, the execution made from it before anything is stored, and the time within which the decision must be
// committed.
import type { Context } from '../../base/context.ts'
import { sealPayload, subjectRef } from '../../ledger/sealing/seal.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import type { PiiFound } from '../governance/pii/event.ts'
import type { Inspection } from '../governance/payload/signals.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Learned } from '../learned/learned-for.ts'
import { packUsed } from '../learned/learned.ts'
import { limitUseWrites, type LimitCheck } from '../limits/counting.ts'
import type { LoadedAction } from '../manifests/load.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import { packEvaluations } from './evaluations.ts'
import { type Execution, executions, PAYLOAD_INLINE_BYTES, payloads, type Sandbox } from './execution.ts'
import { routingText } from './store.ts'
import type { Origin } from './first-transaction.ts'
import { piiWrites } from './payload.ts'
import type { Opened } from './execution-view.ts'
import { Failure } from '../../base/lib/failure.ts'
import { retry } from '../../base/kernel/retry.ts'

export type Submission = {
  action: LoadedAction
  payload: JsonObject
  decision: Decision
  /** What the decision counts. */
  counting: LimitCheck | undefined
  /** Decides anew, because policies, freezes or counters have changed. */
  again: () => Promise<Submission>
  policy_set_version: string
  learned: Learned
  origin: Origin
  /** The marks that it leaves for policies with `after` when it runs. */
  marks: readonly Write[]
  /** Signals that were found in the payload. */
  inspection: Inspection
  /** Personal data in the payload. */
  pii?: PiiFound | undefined
  /** Tier and approval that the caller asked for. */
  asked: Execution['asked']
  /** Scalars only. */
  context?: JsonObject | undefined
  data_subject?: string | undefined
  /** The agent bound to the credential, else the one that the request names. */
  agent_id?: string | undefined
  /** `agent_id` is bound to the credential. */
  agent_bound?: true | undefined
  decision_contract_id?: number | undefined
  latency_budget_ms?: number | undefined
  sandbox?: Sandbox | undefined
  /** Digest of the command, for tasks of `/agent/execute`. */
  command_sha256?: string | undefined
  /**
   * Set for an undo: the execution to undo, the reserved id of the new one, and the data subject of the payload. `marks`: it has
   * no action of its own.
   */
  undo?:
    | { of: string; id: string; exact: boolean; marks?: true | undefined; subject_ref: string | undefined }
    | undefined
  /**
   * Set where completing a task requests it: the reserved id of the execution, the authors of the action, and the writes that
   * move the task in the first transaction.
   */
  task?: { id: string; execution_id: string; authors: readonly string[]; writes: Joining } | undefined
  /** The reserved id of the execution, and what its first transaction changes besides. */
  own?: { execution_id: string; writes: Joining } | undefined
  /** The key of the same requests, and the newest equal one of this caller that waits. Only for an action that is held. */
  past?: Past | undefined
  /** When the policies and freezes of the decision were read (ms). */
  read_at: number
}

/** `waiting`: the id of its execution. `approval_id`: the one that a same request of the same moment would take, too. */
export type Past = { repeat_key: string; waiting?: string | undefined; approval_id?: string | undefined }

/** Writes that depend on the decision, which may be made anew. */
type Joining = (decided: Submission) => readonly Write[]

type Draft = { draft: Execution; writes: (Write | Following)[] }

/** `repeated`: the execution is an earlier one, which waits, and nothing was stored but an Idempotency-Key. */
export type Submitted = { execution: Execution; opened: Opened; repeated?: true }

/** The draft, and the writes beside it: a payload that is too long for its item, and personal data that was found in it. */
export async function draftOf(ctx: Context, submission: Submission): Promise<Draft> {
  const { space } = ctx
  const { undo, task, own } = submission
  const id = undo?.id ?? task?.execution_id ?? own?.execution_id ?? ctx.id('exe')
  const keyName = submission.data_subject ? await subjectRef(space, submission.data_subject) : undo?.subject_ref
  const { sealed, commitment } = await sealPayload(
    space,
    executions.key({ ...space, id }),
    'payload',
    submission.payload,
    { keyName },
  )
  const { counting, decision } = submission
  const tally = counting && limitUseWrites(ctx, counting, decision.outcome)
  const apart = sealed.length > PAYLOAD_INLINE_BYTES
  const draft: Execution = {
    ...space,
    ...requesterFacts(ctx, submission),
    ...decisionParts(ctx, submission),
    id,
    status: 'submitted',
    ...(apart ? { payload_apart: true as const } : { payload: sealed }),
    payload_commitment: commitment,
    subject_ref: keyName,
    artifacts: [],
    undo_of: undo?.of,
    counted: tally?.counted,
    task_id: submission.command_sha256 ? id.replace('exe_', 'tsk_') : task?.id,
  }
  const long = apart ? [payloads.insert({ ...space, id, payload: sealed })] : []
  const joining = [...(task?.writes(submission) ?? []), ...(own?.writes(submission) ?? [])]
  const found = piiWrites(ctx, draft, submission.pii)
  return { draft, writes: [...long, ...joining, ...found, ...(tally?.writes ?? []), freshDecision(ctx, submission)] }
}

/** Who requests which action. */
function requesterFacts({ principal, request, client }: Context, { action, context, ...submission }: Submission) {
  return {
    node_id: action.node.id,
    action_id: action.endpoint.action_id,
    version: action.node.version,
    manifest_sha256: action.manifest_sha256,
    requested_by: { type: principal.kind, id: principal.id },
    client_id: principal.client_id,
    persons: [...new Set([...principal.persons, ...(submission.task?.authors ?? [])])],
    agent_id: submission.agent_id,
    agent_bound: submission.agent_bound,
    client,
    trace_id: request.trace_id,
    correlation_id: request.correlation_id ?? request.request_id,
    decision_contract_id: submission.decision_contract_id,
    asked: submission.asked,
    context: context && JSON.stringify(context),
    sandbox: submission.sandbox,
  }
}

/** The decision, and how long it took. */
function decisionParts(ctx: Context, { decision, learned, policy_set_version, latency_budget_ms }: Submission) {
  const latency_ms = Math.round(ctx.now() - ctx.request.at)
  return {
    routing: routingText(decision.routing_decision, { latency_ms, latency_budget_ms }),
    evaluations: packEvaluations(decision.policy_evaluations),
    learned: packUsed(learned, decision.held_anyway),
    policy_set_version,
    latency_ms,
    latency_budget_ms,
    retries: 0,
  }
}

/**
 * A freeze must also stop actions that were decided on just before it. A check of the freezes in each commit would make all executions of
 * a tenant wait for each other, so a decision is committed within two seconds of the read of the freezes, or made anew.
 */
const FRESH_MS = 2_000
const TRIES = 3

class StaleDecision extends Failure {
  constructor() {
    super('unavailable', 'The decision took too long. Nothing was changed. Repeat your request.', {
      retryAfterSeconds: 1,
    })
  }
}

type Decided = Pick<Submission, 'read_at'>

/** Part of the first commit of an execution, which fails if the decision is too old by then. */
export const freshDecision = (ctx: Context, decided: Decided): Following => ({
  following: async () => {
    mustBeFresh(ctx, decided)
    return []
  },
})

export function mustBeFresh(ctx: Context, { read_at }: Decided): void {
  if (ctx.now() - read_at > FRESH_MS) throw new StaleDecision()
}

/** Commits a decision by `run`. If it is too old by then, the action is decided on anew, three times at most. */
export const committedFresh = <T>(submission: Submission, run: (submission: Submission) => Promise<T>): Promise<T> =>
  retry(
    async (attempt) => run(attempt === 1 ? submission : { ...submission, ...(await submission.again()) }),
    [{ is: (error) => error instanceof StaleDecision, tries: TRIES }],
  )
