// One transition of an execution as the writes of one transaction: the new state, the artifacts that prove it and its events. It is
// no `lifecycle`, because one move may have several artifacts, and the execution lists all that it ever had.
import type * as z from 'zod'
import type { Measure } from '../../base/catalog/measures.ts'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { type Artifact, type ArtifactFacts, newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Following, Stored, Write } from '../../base/table/entity.ts'
import { executionFollowed } from '../tasks/follow.ts'
import { type Execution, executions, type RoutingDecision } from './execution.ts'
import { EXECUTION_STATES } from './states.ts'

/** One artifact, with its facts beyond those of every artifact of an execution, and its events. */
export type Step = {
  facts: Pick<ArtifactFacts, 'type'> & Partial<ArtifactFacts>
  /** `execution` is the one that will be stored, artifact included. */
  events: (execution: Execution) => EventDraft[]
  measures?: readonly Measure[]
}

/**
 * The writes that move an execution, and the execution as they leave it. `was` is undefined for the first transaction. A step
 * may leave the state as it is (a vote, the start of an undo). A lost race is a 409.
 */
export function transition(
  ctx: Context,
  was: Stored<Execution> | undefined,
  next: Execution,
  steps: readonly [Step, ...Step[]],
): { execution: Stored<Execution>; writes: (Write | Following)[] } {
  const from = was?.status ?? 'submitted'
  if (from !== next.status) mustAllowMove(EXECUTION_STATES, from, next.status)
  const made = newArtifacts(ctx, ...steps.map(({ facts }) => ({ ...commonFacts(ctx, next), ...facts })))
  const execution: Execution = { ...next, artifacts: [...next.artifacts, ...made.map(referenceTo)] }
  const transitions = made.map((artifact, index) => ({ artifact, events: steps[index]?.events(execution) ?? [] }))
  const lost = conflict('Another request has changed this execution. Read it again.')
  return {
    execution: { ...execution, _v: (was?._v ?? 0) + 1 },
    writes: [
      was ? executions.replace(execution, was, lost) : executions.insert(execution),
      ...executionFollowed(ctx, was, execution),
      ...commitWith(ctx, transitions as [(typeof transitions)[0], ...typeof transitions], {
        measures: steps.flatMap(({ measures = [] }) => measures),
      }),
    ],
  }
}

const referenceTo = ({ artifact_id, type, hash, at }: Artifact) => ({ artifact_id, type, hash, at: iso(at) })

function commonFacts(ctx: Context, execution: Execution) {
  return {
    at: ctx.now(),
    subject: { type: 'execution', id: execution.id },
    request_id: execution.id,
    trace_id: execution.trace_id,
    agent_id: execution.agent_id,
    subject_ref: execution.subject_ref,
    node_id: execution.node_id,
    action_id: execution.action_id,
    version: execution.version,
  }
}

/** The stored routing decision; `budget_exceeded` when it took longer than the caller's latency budget (ms). */
export const routingText = (
  routing: z.input<typeof RoutingDecision>,
  { latency_ms, latency_budget_ms }: { latency_ms: number; latency_budget_ms?: number | undefined },
): string => {
  const exceeded = latency_budget_ms !== undefined && latency_ms > latency_budget_ms
  return JSON.stringify({ ...routing, ...(exceeded && { budget_exceeded: true }) })
}
